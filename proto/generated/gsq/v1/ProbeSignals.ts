// Original file: gsq/v1/probe.proto


/**
 * How the network treated one probe.
 */
export interface ProbeSignals {
  /**
   * Packets sent, over all ports asked.
   */
  'packetsSent'?: (number);
  /**
   * Those of them that were never answered, or that an ICMP message rejected.
   */
  'packetsLost'?: (number);
  /**
   * The server demanded a challenge, whether or not it said more once it was given.
   */
  'challenged'?: (boolean);
  /**
   * Those of packets_lost that an ICMP message rejected: port, host or network unreachable.
   */
  'packetsRejected'?: (number);
  /**
   * The IP address that was asked, where the lease names a host: servers behind one address share its losses.
   */
  'address'?: (string);
}

/**
 * How the network treated one probe.
 */
export interface ProbeSignals__Output {
  /**
   * Packets sent, over all ports asked.
   */
  'packetsSent': (number);
  /**
   * Those of them that were never answered, or that an ICMP message rejected.
   */
  'packetsLost': (number);
  /**
   * The server demanded a challenge, whether or not it said more once it was given.
   */
  'challenged': (boolean);
  /**
   * Those of packets_lost that an ICMP message rejected: port, host or network unreachable.
   */
  'packetsRejected': (number);
  /**
   * The IP address that was asked, where the lease names a host: servers behind one address share its losses.
   */
  'address': (string);
}
