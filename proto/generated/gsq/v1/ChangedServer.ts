// Original file: gsq/v1/cluster.proto


export interface ChangedServer {
  /**
   * True if the server was tracked.
   */
  'done'?: (boolean);
  /**
   * True if the called core does not own the bucket of the server, so nothing was changed.
   */
  'moved'?: (boolean);
}

export interface ChangedServer__Output {
  /**
   * True if the server was tracked.
   */
  'done': (boolean);
  /**
   * True if the called core does not own the bucket of the server, so nothing was changed.
   */
  'moved': (boolean);
}
