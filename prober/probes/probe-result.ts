import type { FailedFinding } from '../answers/reported-failure.ts';
import type { NormalisedPayload } from '../answers/status-fields.generated.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import type { ProbeTarget } from './probe-target.ts';

/** How the network treated one probe: the message `ProbeSignals` of the report. */
export interface Signals {
  packetsSent: number;
  packetsLost: number;
  packetsRejected: number;
  challenged: boolean;
  /** The IP address that was asked if the server is named by a host name; empty otherwise. */
  address: string;
}

/** How a probe ended: the values of `ProbeOutcome` that asking can lead to. */
export type ProbeResult = { signals: Signals } & (
  | Finding
  /** Nothing was sent; ask again after `retryAfterMs`. */
  | { outcome: 'PROBE_OUTCOME_HELD_BACK'; detail: string; retryAfterMs: number }
);

/** What a probe found out. */
type Finding =
  | { outcome: 'PROBE_OUTCOME_ONLINE'; payload: NormalisedPayload; queryPort: number }
  | FailedFinding;

/** The signals of a probe; all zero if it was never admitted. */
export function signalsOf({ address, host }: ProbeTarget, admitted: AdmittedProbe | undefined): Signals {
  return {
    packetsSent: admitted?.packets ?? 0,
    packetsLost: admitted?.lost ?? 0,
    packetsRejected: admitted?.rejected ?? 0,
    challenged: admitted?.challenged ?? false,
    address: address === host ? '' : address,
  };
}
