import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql';

const MUTATION_COST = 10;
/** A page of a list whose size stands in a variable. */
const UNKNOWN_PAGE = 10;

const costOf = (
  selections: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, SelectionSetNode>,
  depth: number,
): number => {
  let cost = 0;
  // Deeper than Shopify's own limit it is refused elsewhere; here it must only come to an end.
  if (selections === undefined || depth > 20) return cost;
  for (const selection of selections.selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD)
      cost += costOf(fragments.get(selection.name.value), fragments, depth + 1);
    else if (selection.kind === Kind.INLINE_FRAGMENT) cost += costOf(selection.selectionSet, fragments, depth + 1);
    else if (selection.selectionSet !== undefined) {
      const first = selection.arguments?.find(({ name }) => name.value === 'first')?.value;
      const page = first === undefined ? 1 : first.kind === Kind.INT ? Number(first.value) : UNKNOWN_PAGE;
      const inside = costOf(selection.selectionSet, fragments, depth + 1);
      cost += 1 + (page === 1 ? inside : Math.ceil(Math.log2(page + 1)) * (1 + inside));
    }
  }
  return cost;
};

/**
 * What a query costs: a point for each object, lists by the logarithm of their size, ten for a mutation. Near to what Shopify
 * calculates, whose exact rule is not published.
 */
export const queryCost = (document: DocumentNode): number => {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet] as const] : [],
    ),
  );
  let cost = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    cost += costOf(definition.selectionSet, fragments, 0);
    if (definition.operation === 'mutation') cost += MUTATION_COST;
  }
  return Math.max(1, cost);
};
