import type { FailedFinding } from '../answers/reported-failure.ts';
import type { NormalisedPayload } from '../answers/status-fields.generated.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import type { ProbeTarget } from './probe-target.ts';

/** Packet counts and other measurements of one probe. The report contains them as the message `ProbeSignals`. */
export interface Signals {
  packetsSent: number;
  packetsLost: number;
  packetsRejected: number;
  challenged: boolean;
  /** IP address that the probe queried. Empty if the host of the probe target is already an IP address. */
  address: string;
}

/** Result of a probe, and the numbers of sent and lost packets (`signals`). */
export type ProbeResult = { signals: Signals } & (
  | Finding
  /**
   * The rate limits postponed the probe, and no packet was sent. The caller can probe the server again after
   * `retryAfterMs` milliseconds.
   */
  | { outcome: 'PROBE_OUTCOME_HELD_BACK'; detail: string; retryAfterMs: number }
);

/** Outcome of a probe that was not postponed: the status of the server, or a failure. */
type Finding =
  | { outcome: 'PROBE_OUTCOME_ONLINE'; payload: NormalisedPayload; queryPort: number }
  | FailedFinding;

/** Returns the packet counts of a probe. All counts are 0 if the rate limits never admitted the probe. */
export function signalsOf({ address, host }: ProbeTarget, admitted: AdmittedProbe | undefined): Signals {
  return {
    packetsSent: admitted?.packets ?? 0,
    packetsLost: admitted?.lost ?? 0,
    packetsRejected: admitted?.rejected ?? 0,
    challenged: admitted?.challenged ?? false,
    address: address === host ? '' : address,
  };
}
