// Original file: gsq/v1/cluster.proto


/**
 * The servers that the caller of a search can see: all, the public ones, or those that a token inserted.
 */
export interface SearchScope {
  'all'?: (boolean);
  'public'?: (boolean);
  'insertedBy'?: (string);
}

/**
 * The servers that the caller of a search can see: all, the public ones, or those that a token inserted.
 */
export interface SearchScope__Output {
  'all': (boolean);
  'public': (boolean);
  'insertedBy': (string);
}
