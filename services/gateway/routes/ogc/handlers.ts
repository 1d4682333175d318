import { room } from "../../http/room.ts";
import {
  getOgcCollectionHandler,
  getOgcConformanceHandler,
  getOgcDefinitionHandler,
  getOgcLandingHandler,
  getOgcQueryablesHandler,
  getOgcSchemaHandler,
  listOgcCollectionsHandler,
} from "./collections.ts";
import { getOgcItemHandler, listOgcItemsHandler } from "./items.ts";

export const handlersOfFeatures = room({
  getOgcLanding: getOgcLandingHandler,
  getOgcDefinition: getOgcDefinitionHandler,
  getOgcConformance: getOgcConformanceHandler,
  listOgcCollections: listOgcCollectionsHandler,
  getOgcCollection: getOgcCollectionHandler,
  getOgcSchema: getOgcSchemaHandler,
  getOgcQueryables: getOgcQueryablesHandler,
  listOgcItems: listOgcItemsHandler,
  getOgcItem: getOgcItemHandler,
});
