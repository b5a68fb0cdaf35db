// Original file: gsq/v1/probe.proto


/**
 * How the network of a server treats probes, as far as one probe shows it.
 */
export interface ProbeSigns {
  /**
   * Packets sent, over all ports asked.
   */
  'packetsSent'?: (number);
  /**
   * Those of them that had to be sent again, or were never answered.
   */
  'packetsLost'?: (number);
  /**
   * The server demanded a challenge, whether or not it said more once it was given.
   */
  'challenged'?: (boolean);
  /**
   * Other servers at the same IP address, as this prober found them within the last minutes.
   */
  'neighboursAnswered'?: (boolean);
  'neighboursSilent'?: (boolean);
}

/**
 * How the network of a server treats probes, as far as one probe shows it.
 */
export interface ProbeSigns__Output {
  /**
   * Packets sent, over all ports asked.
   */
  'packetsSent': (number);
  /**
   * Those of them that had to be sent again, or were never answered.
   */
  'packetsLost': (number);
  /**
   * The server demanded a challenge, whether or not it said more once it was given.
   */
  'challenged': (boolean);
  /**
   * Other servers at the same IP address, as this prober found them within the last minutes.
   */
  'neighboursAnswered': (boolean);
  'neighboursSilent': (boolean);
}
