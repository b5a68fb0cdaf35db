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
}
