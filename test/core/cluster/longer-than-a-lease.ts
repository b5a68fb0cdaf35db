/** A time that is longer than the lease of a core in the cluster, in milliseconds. */
export const LONG_MS = 9_000;
