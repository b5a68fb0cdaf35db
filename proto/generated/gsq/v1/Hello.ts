// Original file: gsq/v1/probe.proto

import type { Long } from '@grpc/proto-loader';

export interface Hello {
  'prober'?: (string);
  /**
   * Maximum number of leases that the prober can hold at the same time.
   */
  'maxInFlight'?: (number);
  /**
   * Session that the prober wants to continue after its stream broke: the Welcome.session of that stream. Empty for a
   * new session.
   */
  'session'?: (string);
  /**
   * Number of leases that the prober received in that session. Leases that the core sent later were lost with the
   * stream.
   */
  'leasesReceived'?: (number | string | Long);
  /**
   * True if an absent count in a payload means that the server does not report the count. False for probers of release
   * 0.1.0, which omit a count if it is 0.
   */
  'absentCounts'?: (boolean);
}

export interface Hello__Output {
  'prober': (string);
  /**
   * Maximum number of leases that the prober can hold at the same time.
   */
  'maxInFlight': (number);
  /**
   * Session that the prober wants to continue after its stream broke: the Welcome.session of that stream. Empty for a
   * new session.
   */
  'session': (string);
  /**
   * Number of leases that the prober received in that session. Leases that the core sent later were lost with the
   * stream.
   */
  'leasesReceived': (number);
  /**
   * True if an absent count in a payload means that the server does not report the count. False for probers of release
   * 0.1.0, which omit a count if it is 0.
   */
  'absentCounts': (boolean);
}
