// Original file: gsq/v1/cluster.proto


export interface FollowChangesRequest {
  /**
   * Game id, a space and the canonical address of servers, at most 1000. If set, the called core sends the record of
   * these servers after each probe, even if nothing visible has changed, and sends no other changes.
   */
  'probedKeys'?: (string)[];
}

export interface FollowChangesRequest__Output {
  /**
   * Game id, a space and the canonical address of servers, at most 1000. If set, the called core sends the record of
   * these servers after each probe, even if nothing visible has changed, and sends no other changes.
   */
  'probedKeys': (string)[];
}
