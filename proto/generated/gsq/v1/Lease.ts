// Original file: gsq/v1/probe.proto

import type { LeaseOption as _gsq_v1_LeaseOption, LeaseOption__Output as _gsq_v1_LeaseOption__Output } from '../../gsq/v1/LeaseOption.ts';
import type { Long } from '@grpc/proto-loader';

export interface Lease {
  'leaseId'?: (number | string | Long);
  'gameId'?: (string);
  /**
   * IPv4, IPv6 without brackets, or a host name.
   */
  'host'?: (string);
  'port'?: (number);
  /**
   * As the catalog names it: a2s, quake3, minecraft ...
   */
  'protocol'?: (string);
  /**
   * What gamedig calls this game.
   */
  'gamedigId'?: (string);
  /**
   * Ports to ask, in order, until one answers.
   */
  'queryPorts'?: (number)[];
  /**
   * The last probe failed: ask from another socket.
   */
  'confirm'?: (boolean);
  /**
   * How long to wait for each reply, in milliseconds; 0: as long as the prober thinks right.
   */
  'timeoutMs'?: (number);
  /**
   * A password, key or token of the server; empty where it has none. Never logged.
   */
  'secret'?: (string);
  /**
   * What the operator told about the server beside its address.
   */
  'options'?: (_gsq_v1_LeaseOption)[];
  /**
   * The server has been silent for so long that its status must be settled soon: it asks before others at its address.
   */
  'urgent'?: (boolean);
}

export interface Lease__Output {
  'leaseId': (number);
  'gameId': (string);
  /**
   * IPv4, IPv6 without brackets, or a host name.
   */
  'host': (string);
  'port': (number);
  /**
   * As the catalog names it: a2s, quake3, minecraft ...
   */
  'protocol': (string);
  /**
   * What gamedig calls this game.
   */
  'gamedigId': (string);
  /**
   * Ports to ask, in order, until one answers.
   */
  'queryPorts': (number)[];
  /**
   * The last probe failed: ask from another socket.
   */
  'confirm': (boolean);
  /**
   * How long to wait for each reply, in milliseconds; 0: as long as the prober thinks right.
   */
  'timeoutMs': (number);
  /**
   * A password, key or token of the server; empty where it has none. Never logged.
   */
  'secret': (string);
  /**
   * What the operator told about the server beside its address.
   */
  'options': (_gsq_v1_LeaseOption__Output)[];
  /**
   * The server has been silent for so long that its status must be settled soon: it asks before others at its address.
   */
  'urgent': (boolean);
}
