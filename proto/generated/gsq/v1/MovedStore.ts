// Original file: gsq/v1/cluster.proto


/**
 * A store whose data was moved to another store.
 */
export interface MovedStore {
  /**
   * The new store in words, without secrets.
   */
  'target'?: (string);
  /**
   * Random id of the migration.
   */
  'id'?: (string);
}

/**
 * A store whose data was moved to another store.
 */
export interface MovedStore__Output {
  /**
   * The new store in words, without secrets.
   */
  'target': (string);
  /**
   * Random id of the migration.
   */
  'id': (string);
}
