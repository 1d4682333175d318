import { room } from "../../http/room.ts";
import { deleteCatalogueHandler, updateCatalogueHandler } from "./change-catalogue.ts";
import { createCatalogueHandler } from "./create-catalogue.ts";
import { exportCatalogueHandler } from "./export-catalogue.ts";
import {
  getRightHandler,
  listMembersHandler,
  removeMemberHandler,
  setMemberHandler,
} from "./members.ts";
import {
  getCatalogueHandler,
  listCataloguesHandler,
  listVersionsHandler,
} from "./read-catalogues.ts";
import { createShareHandler, endShareHandler, listSharesHandler } from "./shares.ts";

export const handlersOfCatalogues = room({
  listCatalogues: listCataloguesHandler,
  createCatalogue: createCatalogueHandler,
  getCatalogue: getCatalogueHandler,
  updateCatalogue: updateCatalogueHandler,
  deleteCatalogue: deleteCatalogueHandler,
  exportCatalogue: exportCatalogueHandler,
  listVersions: listVersionsHandler,
  createShare: createShareHandler,
  listShares: listSharesHandler,
  endShare: endShareHandler,
  listMembers: listMembersHandler,
  getRight: getRightHandler,
  setMember: setMemberHandler,
  removeMember: removeMemberHandler,
});
