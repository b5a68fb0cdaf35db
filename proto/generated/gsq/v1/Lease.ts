// Original file: gsq/v1/probe.proto

import type { LeaseOption as _gsq_v1_LeaseOption, LeaseOption__Output as _gsq_v1_LeaseOption__Output } from '../../gsq/v1/LeaseOption.ts';
import type { Long } from '@grpc/proto-loader';

export interface Lease {
  'leaseId'?: (number | string | Long);
  'gameId'?: (string);
  /**
   * Host of the server: an IPv4 address, an IPv6 address without brackets, or a host name.
   */
  'host'?: (string);
  'port'?: (number);
  /**
   * Protocol name in the catalog: a2s, quake3, minecraft ...
   */
  'protocol'?: (string);
  /**
   * Id of the game in gamedig.
   */
  'gamedigId'?: (string);
  /**
   * Ports to query in this order, until a port answers.
   */
  'queryPorts'?: (number)[];
  /**
   * True if the last probe failed. The prober then uses a new socket.
   */
  'confirm'?: (boolean);
  /**
   * Timeout of each reply, in milliseconds; 0 for the default of the prober.
   */
  'timeoutMs'?: (number);
  /**
   * A password, key or token of the server; empty if there is none. It is never logged.
   */
  'secret'?: (string);
  /**
   * Options that the operator set for the server.
   */
  'options'?: (_gsq_v1_LeaseOption)[];
  /**
   * True if the server has not answered for so long that its status must be decided soon. The prober probes it before
   * other servers at the same address.
   */
  'urgent'?: (boolean);
}

export interface Lease__Output {
  'leaseId': (number);
  'gameId': (string);
  /**
   * Host of the server: an IPv4 address, an IPv6 address without brackets, or a host name.
   */
  'host': (string);
  'port': (number);
  /**
   * Protocol name in the catalog: a2s, quake3, minecraft ...
   */
  'protocol': (string);
  /**
   * Id of the game in gamedig.
   */
  'gamedigId': (string);
  /**
   * Ports to query in this order, until a port answers.
   */
  'queryPorts': (number)[];
  /**
   * True if the last probe failed. The prober then uses a new socket.
   */
  'confirm': (boolean);
  /**
   * Timeout of each reply, in milliseconds; 0 for the default of the prober.
   */
  'timeoutMs': (number);
  /**
   * A password, key or token of the server; empty if there is none. It is never logged.
   */
  'secret': (string);
  /**
   * Options that the operator set for the server.
   */
  'options': (_gsq_v1_LeaseOption__Output)[];
  /**
   * True if the server has not answered for so long that its status must be decided soon. The prober probes it before
   * other servers at the same address.
   */
  'urgent': (boolean);
}
