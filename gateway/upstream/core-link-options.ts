import type { ChannelSecurity } from '../../proto/clients.ts';
import type { Logger } from '../../runtime/log.ts';
import type { AdmissionLimits } from './call-admission.ts';
import type { PendingCall } from './pending-call.ts';

/** Options of the connection (link) from the gateway to one core. */
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
   * Functions that move the calls of this connection to the connections to other cores. If they are absent, the calls
   * stay with this connection.
   */
  siblings?: LinkSiblings | undefined;
}

/** Functions with which the connection (link) to a core that does not respond moves its calls to other cores. */
export interface LinkSiblings {
  /**
   * Called when the property `isLost` of the connection has changed: its core has become unreachable, or is reachable
   * again.
   */
  onChange(): void;
  /**
   * Returns the connection that takes over a call from the connection `from`, because the core of `from` does not
   * respond. Returns undefined if no other core can take the call.
   */
  heirOf(call: PendingCall, from: CallHolder): CallHolder | undefined;
}

/** A connection to a core. A call can move from one connection to another. */
export interface CallHolder {
  adoptCall(call: PendingCall, from: CallHolder): void;
  forgetCall(call: PendingCall): void;
}
