// Original file: gsq/v1/probe.proto


/**
 * Network measurements of one probe.
 */
export interface ProbeSignals {
  /**
   * Number of packets sent to all queried ports together.
   */
  'packetsSent'?: (number);
  /**
   * Number of sent packets that were not answered or that an ICMP message rejected.
   */
  'packetsLost'?: (number);
  /**
   * True if the server answered with a challenge, even if it sent nothing after that.
   */
  'challenged'?: (boolean);
  /**
   * Number of lost packets that an ICMP message rejected: port, host or network unreachable.
   */
  'packetsRejected'?: (number);
  /**
   * IP address that was probed, if the lease contains a host name. All servers at one IP address share its packet loss.
   */
  'address'?: (string);
}

/**
 * Network measurements of one probe.
 */
export interface ProbeSignals__Output {
  /**
   * Number of packets sent to all queried ports together.
   */
  'packetsSent': (number);
  /**
   * Number of sent packets that were not answered or that an ICMP message rejected.
   */
  'packetsLost': (number);
  /**
   * True if the server answered with a challenge, even if it sent nothing after that.
   */
  'challenged': (boolean);
  /**
   * Number of lost packets that an ICMP message rejected: port, host or network unreachable.
   */
  'packetsRejected': (number);
  /**
   * IP address that was probed, if the lease contains a host name. All servers at one IP address share its packet loss.
   */
  'address': (string);
}
