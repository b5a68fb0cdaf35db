// Original file: gsq/v1/server.proto

import type { ServerStatus as _gsq_v1_ServerStatus, ServerStatus__Output as _gsq_v1_ServerStatus__Output } from '../../gsq/v1/ServerStatus.ts';
import type { FirewallLabel as _gsq_v1_FirewallLabel, FirewallLabel__Output as _gsq_v1_FirewallLabel__Output } from '../../gsq/v1/FirewallLabel.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

/**
 * Schedule and status of the probes of a server. The time of an event that has not happened yet is absent.
 */
export interface Updater {
  'status'?: (_gsq_v1_ServerStatus);
  'firewallIntervalMinutes'?: (number);
  'firewallLabel'?: (_gsq_v1_FirewallLabel);
  'nextProbeAt'?: (_google_protobuf_Timestamp | null);
  'lastProbeAt'?: (_google_protobuf_Timestamp | null);
  'lastOnlineAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Reason why the status is not online, a word of docs/errors.md: unprobed, no_reply, refused ... Empty if the status
   * is online.
   */
  'reason'?: (string);
}

/**
 * Schedule and status of the probes of a server. The time of an event that has not happened yet is absent.
 */
export interface Updater__Output {
  'status': (_gsq_v1_ServerStatus__Output);
  'firewallIntervalMinutes': (number);
  'firewallLabel': (_gsq_v1_FirewallLabel__Output);
  'nextProbeAt': (_google_protobuf_Timestamp__Output | null);
  'lastProbeAt': (_google_protobuf_Timestamp__Output | null);
  'lastOnlineAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Reason why the status is not online, a word of docs/errors.md: unprobed, no_reply, refused ... Empty if the status
   * is online.
   */
  'reason': (string);
}
