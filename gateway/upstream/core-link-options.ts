import type { ChannelSecurity } from '../../proto/clients.ts';
import type { Logger } from '../../runtime/log.ts';
import type { AdmissionLimits } from './call-admission.ts';
import type { PendingCall } from './pending-call.ts';

/** Options of the link to the core. */
export interface CoreLinkOptions extends AdmissionLimits {
  /** Address of the core's internal port, `host:port`. */
  address: string;
  secret: string;
  /** TLS credentials of the connection. If they are absent, the connection uses no TLS. */
  security?: ChannelSecurity | undefined;
  log: Logger;
  streams?: number;
  /**
   * Longest time for which new calls wait for an absent core (parking), in milliseconds. If the core is absent for
   * longer, new calls fail immediately.
   */
  parkMs?: number;
  /**
   * Functions that move calls from this link (connection to a core) to the links to other cores. Absent if there is
   * only one link.
   */
  siblings?: LinkSiblings | undefined;
}

/**
 * Functions that move calls from the link (connection) to one core to the links to other cores, if the core does not
 * respond.
 */
export interface LinkSiblings {
  /** Called when the property `isLost` of the link has changed: its core has become unreachable, or is back. */
  onChange(): void;
  /**
   * Called if the core of the link `from` does not respond. Returns the new link for the call. Returns undefined if no
   * link to another core can take the call.
   */
  heirOf(call: PendingCall, from: CallHolder): CallHolder | undefined;
}

/** A link (connection) to a core. A call can move from the link to one core to the link to another core. */
export interface CallHolder {
  adoptCall(call: PendingCall, from: CallHolder): void;
  forgetCall(call: PendingCall): void;
}
