// Original file: gsq/v1/cluster.proto


/**
 * A core of the cluster.
 */
export interface ClusterMember {
  /**
   * Id of the core process. A restarted core has a new id.
   */
  'id'?: (string);
  /**
   * Address of the internal port of the core, `host:port`.
   */
  'address'?: (string);
  /**
   * True for the core that owns the accounts: tokens, their usage and webhooks.
   */
  'isLead'?: (boolean);
}

/**
 * A core of the cluster.
 */
export interface ClusterMember__Output {
  /**
   * Id of the core process. A restarted core has a new id.
   */
  'id': (string);
  /**
   * Address of the internal port of the core, `host:port`.
   */
  'address': (string);
  /**
   * True for the core that owns the accounts: tokens, their usage and webhooks.
   */
  'isLead': (boolean);
}
