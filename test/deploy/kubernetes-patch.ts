type Value = unknown;
type Fields = Record<string, Value>;

const isFields = (value: Value): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the key by which a patch finds an element of a list: its mount path or, if it has none, its name. Returns
 * undefined if the element has neither.
 */
const keyOf = (element: Value): Value =>
  isFields(element) ? (element.mountPath ?? element.name) : undefined;

function mergedLists(list: readonly Value[], changes: readonly Value[]): Value[] {
  // A patch matches list elements by their key (mount path or name). If an element of the patch has no key, nothing
  // can be matched, so the patch replaces the whole list.
  if (changes.some(change => keyOf(change) === undefined)) return [...changes];
  const added = changes.filter(change => !list.some(element => keyOf(element) === keyOf(change)));
  const kept = list.map(element => {
    const change = changes.find(one => keyOf(one) === keyOf(element));
    return change === undefined ? element : merged(element, change);
  });
  return [...added, ...kept];
}

function merged(value: Value, change: Value): Value {
  if (Array.isArray(value) && Array.isArray(change)) return mergedLists(value, change);
  if (!isFields(value) || !isFields(change)) return change;
  const fields = Object.entries(change).map(([name, one]) => [
    name,
    name in value ? merged(value[name], one) : one,
  ]);
  return { ...value, ...Object.fromEntries(fields) };
}

/**
 * Applies a strategic merge patch to a Kubernetes object, like kustomize. Supports no directives (such as delete).
 * test/peers/containers.test.ts compares the result with kustomize.
 */
export function patched<T extends object>(object: T, patch: object): T {
  return merged(object, patch) as T;
}
