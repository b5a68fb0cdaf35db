// Original file: gsq/v1/probe.proto

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
}
