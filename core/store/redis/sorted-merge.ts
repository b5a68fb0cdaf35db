/**
 * Yields the elements of several sorted lists in one sorted sequence. A single sort of a million keys would block the
 * event loop for a second; this function needs about a microsecond for each element. `isBefore`: the order of the
 * lists.
 */
export function* mergeSorted<T>(
  lists: Iterable<readonly T[]>,
  isBefore: (a: T, b: T) => boolean,
): Generator<T, undefined> {
  /** A binary heap. The list whose next element comes first is at index 0. */
  const heap: { list: readonly T[]; at: number; next: T }[] = [];
  const isEarlier = (i: number, j: number): boolean => {
    const [a, b] = [heap[i], heap[j]];
    return a !== undefined && (b === undefined || isBefore(a.next, b.next));
  };
  const sink = (from: number): void => {
    for (let i = from; ; ) {
      const left = 2 * i + 1;
      const child = isEarlier(left + 1, left) ? left + 1 : left;
      if (!isEarlier(child, i)) return;
      [heap[i], heap[child]] = [heap[child] as (typeof heap)[0], heap[i] as (typeof heap)[0]];
      i = child;
    }
  };
  for (const list of lists) {
    const [next] = list;
    if (next !== undefined) heap.push({ list, at: 0, next });
  }
  for (let i = heap.length >> 1; i >= 0; i--) sink(i);
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.next;
    const next = first.list[++first.at];
    if (next !== undefined) {
      first.next = next;
    } else {
      const last = heap.pop();
      if (last !== undefined && last !== first) heap[0] = last;
    }
    sink(0);
  }
}
