import { type Node, parseExpression } from './parser.ts';

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  if (node.kind === 'call') for (const arg of node.args) walk(arg, visit);
  else if (node.kind === 'aggregate') walk(node.arg, visit);
  else if (node.kind === 'binary') for (const side of [node.left, node.right]) walk(side, visit);
}

/** Returns the metrics in a PromQL expression, each with the labels in its selectors. */
export function selectorsOf(expression: string): { name: string; labels: string[] }[] {
  const found: { name: string; labels: string[] }[] = [];
  walk(parseExpression(expression), node => {
    if (node.kind === 'selector')
      found.push({ name: node.name, labels: node.matchers.map(({ label }) => label) });
  });
  return found;
}
