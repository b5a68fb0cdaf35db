// Original file: gsq/v1/probe.proto

import type { Long } from '@grpc/proto-loader';

export interface Hello {
  'prober'?: (string);
  /**
   * How many leases the prober can hold at once.
   */
  'maxInFlight'?: (number);
  /**
   * The session to go on with, where a stream broke: Welcome.session of the last one. Empty for a new session.
   */
  'session'?: (string);
  /**
   * How many leases came in that session: what the core sent after them was lost with the stream.
   */
  'leasesReceived'?: (number | string | Long);
  /**
   * A count that is absent from a payload is one the server does not tell. Without this it is zero: probers of 0.1.0 leave
   * zeros out.
   */
  'absentCounts'?: (boolean);
}

export interface Hello__Output {
  'prober': (string);
  /**
   * How many leases the prober can hold at once.
   */
  'maxInFlight': (number);
  /**
   * The session to go on with, where a stream broke: Welcome.session of the last one. Empty for a new session.
   */
  'session': (string);
  /**
   * How many leases came in that session: what the core sent after them was lost with the stream.
   */
  'leasesReceived': (number);
  /**
   * A count that is absent from a payload is one the server does not tell. Without this it is zero: probers of 0.1.0 leave
   * zeros out.
   */
  'absentCounts': (boolean);
}
