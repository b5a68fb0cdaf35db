import type { Dispatcher } from '../../core/schedule/dispatcher.ts';
import type { ProberStream } from '../../core/schedule/prober-session.ts';
import { Resolver } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import type { Probes } from '../../prober/probes/probes.ts';
import { namedTarget, resolveTarget } from '../../prober/target.ts';
import {
  decodeSessionRequest,
  decodeSessionResponse,
  encodeSessionRequest,
  encodeSessionResponse,
} from '../../proto/generated/codec/probe.ts';
import type { Lease, Lease__Output } from '../../proto/generated/gsq/v1/Lease.ts';
import type { StatusReport } from '../../proto/generated/gsq/v1/StatusReport.ts';
import type { VirtualClock } from './virtual-clock.ts';

/**
 * Time for which the prober collects probe reports before it sends them in one message, in milliseconds.
 * prober/session.ts uses the same time.
 */
const GATHER_MS = 20;
const GATHER_REPORTS = 100;
/** Simulated delay of a message between the core and the prober, in milliseconds. */
const PATH_MS = 1;
/** Maximum number of concurrent probes of the simulated prober. It is the default of GSQ_MAX_IN_FLIGHT. */
const CAPACITY = 2_000;

/** A simulated prober session without a network connection. It encodes and decodes each message like a real session. */
export class SimulatedProber implements ProberStream {
  readonly prober = 'simulated';
  readonly announced = CAPACITY;
  readonly capacity = CAPACITY;
  readonly #clock: VirtualClock;
  readonly #probes: Probes;
  readonly #dispatcher: Dispatcher;
  readonly #onProbed: (lease: Lease__Output) => void;
  readonly #policy = new TargetPolicy([]);
  readonly #resolver: Resolver;
  #gathered: StatusReport[] = [];

  /** `onProbed` is called after each finished probe, but not for a probe that the rate limiter postponed. */
  constructor(
    clock: VirtualClock,
    probes: Probes,
    dispatcher: Dispatcher,
    onProbed: (lease: Lease__Output) => void,
  ) {
    this.#clock = clock;
    this.#probes = probes;
    this.#dispatcher = dispatcher;
    this.#onProbed = onProbed;
    this.#resolver = new Resolver([], () => clock.now);
  }

  send(leases: readonly Lease[]): boolean {
    const message = encodeSessionResponse({ leases: { leases: [...leases] } });
    this.#clock.after(PATH_MS, () => {
      for (const lease of decodeSessionResponse(message).leases?.leases ?? []) this.#probe(lease);
    });
    return true;
  }

  #probe(lease: Lease__Output): void {
    const target = resolveTarget(namedTarget(lease), this.#policy, this.#resolver);
    if (target instanceof Promise || 'outcome' in target)
      throw new Error(`${lease.host} is not an address that may be asked`);
    this.#probes.begin(target, report => {
      if (report.outcome !== 'PROBE_OUTCOME_HELD_BACK') this.#onProbed(lease);
      this.#gather({ ...report, leaseId: lease.leaseId });
    });
  }

  #gather(report: StatusReport): void {
    this.#gathered.push(report);
    if (this.#gathered.length === GATHER_REPORTS) this.#report();
    else if (this.#gathered.length === 1) this.#clock.after(GATHER_MS, () => this.#report());
  }

  #report(): void {
    if (this.#gathered.length === 0) return;
    const message = encodeSessionRequest({ reports: { reports: this.#gathered } });
    this.#gathered = [];
    this.#clock.after(PATH_MS, () => {
      this.#dispatcher.report(this, decodeSessionRequest(message).reports?.reports ?? []);
    });
  }
}
