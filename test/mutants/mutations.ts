import { type Node, parseSync, Visitor } from "oxc-parser";

/** One small change of a source: what stands from `start` to `end` becomes `text`. */
export type Mutation = { readonly start: number; readonly end: number; readonly text: string };

const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+=": "-=",
  "-=": "+=",
};

const METHODS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  startsWith: "endsWith",
  endsWith: "startsWith",
  find: "findLast",
  toSorted: "slice",
};

/** In the texts of statements in SQL. */
const SQL: readonly (readonly [RegExp, string])[] = [
  [/ <= /g, " < "],
  [/ >= /g, " > "],
  [/ < /g, " <= "],
  [/ > /g, " >= "],
  [/ = /g, " <> "],
  [/\bAND\b/g, "OR"],
  [/\bOR\b/g, "AND"],
  [/\bIS NULL\b/g, "IS NOT NULL"],
  [/\bIS NOT NULL\b/g, "IS NULL"],
  [/\bDESC\b/g, "ASC"],
  [/\bEXISTS\b/g, "NOT EXISTS"],
  [/\bLEFT JOIN\b/g, "JOIN"],
  [/\bmin\(/g, "max("],
  [/\bmax\(/g, "min("],
];

/** All mutations of a file that a test might see: of operators, conditions, numbers, calls, values and SQL. */
export function mutationsOf(file: string, text: string): Mutation[] {
  const found: Mutation[] = [];
  const replace = ({ start, end }: Pick<Node, "start" | "end">, by: string) =>
    found.push({ start, end, text: by });
  const operator = ({ left, right, operator }: Operation) => {
    const by = OPERATORS[operator];
    const at = text.indexOf(operator, left.end);
    if (by !== undefined && at >= 0 && at < right.start)
      replace({ start: at, end: at + operator.length }, by);
  };
  const condition = (node: Node) => replace(node, `!(${text.slice(node.start, node.end)})`);
  const visitor = new Visitor({
    BinaryExpression: (node) => operator(node as Operation),
    LogicalExpression: (node) => operator(node as Operation),
    AssignmentExpression: (node) => operator(node as Operation),
    IfStatement({ test, consequent }) {
      condition(test);
      if (consequent.type === "ReturnStatement" || consequent.type === "ContinueStatement")
        replace(consequent, ";");
    },
    ConditionalExpression: ({ test }) => condition(test),
    WhileStatement: ({ test }) => replace(test, "false"),
    UnaryExpression(node) {
      const { argument } = node;
      if (node.operator === "!" || node.operator === "-")
        replace(node, text.slice(argument.start, argument.end));
    },
    Literal(node) {
      if (typeof node.value === "number") replace(node, String(node.value + 1));
      else if (typeof node.value === "boolean") replace(node, String(!node.value));
    },
    ArrayExpression: (node) => node.elements.length > 0 && replace(node, "[]"),
    CallExpression({ callee }) {
      if (callee.type !== "MemberExpression" || callee.computed) return;
      const by = METHODS[text.slice(callee.property.start, callee.property.end)];
      if (by !== undefined) replace(callee.property, by);
    },
    ExpressionStatement(node) {
      if (["CallExpression", "AwaitExpression"].includes(node.expression.type)) replace(node, ";");
    },
    TaggedTemplateExpression({ quasi }) {
      for (const { start, end } of quasi.quasis)
        for (const [pattern, by] of SQL)
          for (const match of text.slice(start, end).matchAll(pattern))
            replace({ start: start + match.index, end: start + match.index + match[0].length }, by);
    },
  });
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed`);
  visitor.visit(program);
  return found.toSorted((a, b) => a.start - b.start || a.text.localeCompare(b.text));
}

type Operation = {
  readonly left: Pick<Node, "end">;
  readonly right: Pick<Node, "start">;
  readonly operator: string;
};
