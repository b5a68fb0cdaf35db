import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProbeOutcome } from '../proto/generated/gsq/v1/ProbeOutcome.ts';
import { type Buckets, PlainHistogram } from '../runtime/plain-histogram.ts';
import { ReadMetrics } from '../runtime/process-metrics.ts';
import { directoryOf, directories as everyDirectory } from './directories/registry.ts';
import type { Probes } from './probes/probes.ts';
import { protocols } from './protocols/registry.ts';

/**
 * Upper bounds of the histogram buckets for the probe duration, seconds. The highest bound is for servers that never
 * answer.
 */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/** Counts the probes that run and the finished probes, for the metrics. */
export interface ProbeCounters {
  begin(): void;
  /**
   * Counts a finished probe. `protocol` is the protocol id in catalog.json. `seconds` is the duration of the probe,
   * including the resolution of the host name.
   */
  end(protocol: string, outcome: ProbeOutcome | undefined, seconds: number): void;
}

/** Counters of the finished probes of one protocol. */
interface Done {
  outcomes: Map<ProbeOutcome, number>;
  /** Histogram of the duration of probes, seconds. The duration includes the resolution of the host name. */
  seconds: Buckets;
}

/** Registers the metrics of probes. Returns the counters that feed the metrics. */
export function registerProbeMetrics(registry: Registry, probes: Probes): ProbeCounters {
  let inFlight = 0;
  const done = new Map<string, Done>();
  new Counter({
    name: 'gsq_probes_total',
    help: 'Finished probes, by protocol and outcome. Protocol gamedig: all protocols that the library gamedig handles.',
    labelNames: ['protocol', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [protocol, { outcomes }] of done) {
        for (const [outcome, count] of outcomes) {
          this.inc({ protocol, outcome: String(outcome).replace('PROBE_OUTCOME_', '').toLowerCase() }, count);
        }
      }
    },
  });
  const seconds = new PlainHistogram({
    name: 'gsq_probe_seconds',
    help: 'Time from a lease to its report, by protocol. Includes the time that the rate limit postpones the probe.',
    labelNames: ['protocol'],
    buckets: BUCKETS,
    registry,
  });
  const read = new ReadMetrics(registry);

  read.gauge(
    'gsq_probes_in_flight',
    'Leases in this prober: running probes, and probes that wait for the rate limit.',
    () => inFlight,
  );
  read.counter(
    'gsq_packets_sent_total',
    'Packets sent to game servers. A TCP connection counts as one packet.',
    () => probes.packetsSent,
  );
  read.counter(
    'gsq_stray_datagrams_total',
    'Received datagrams and ICMP messages that belong to no pending query.',
    () => probes.strayDatagrams,
  );
  read.gauge('gsq_budgeted_addresses', 'IP addresses that the rate limiter tracks.', () => probes.addresses);
  read.gauge(
    'gsq_udp_receive_buffer_bytes',
    'Size of the receive buffer of a UDP socket, as the kernel reports it. Linux reports twice the requested size.',
    () => probes.receiveBuffer,
  );

  registerDirectoryMetrics(registry, probes);

  const doneBy = (protocol: string): Done => {
    const name = protocols.has(protocol) || directoryOf(protocol) ? protocol : 'gamedig';
    let found = done.get(name);
    if (!found) {
      found = { outcomes: new Map(), seconds: seconds.series(name) };
      done.set(name, found);
    }
    return found;
  };

  return {
    begin() {
      inFlight++;
    },
    end(protocol, outcome = 'PROBE_OUTCOME_UNSPECIFIED', took) {
      inFlight--;
      const { outcomes, seconds: times } = doneBy(protocol);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      times.addSample(took);
    },
  };
}

/**
 * Registers the metrics of public server lists: the number of requests, and the remaining time of the pauses in which a
 * list receives no requests.
 */
function registerDirectoryMetrics(registry: Registry, { directories }: Probes): void {
  new Counter({
    name: 'gsq_directory_requests_total',
    help: 'Requests to directories of games, by directory, host and result.',
    labelNames: ['directory', 'host', 'result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { directory, host, result, count } of directories.requests()) {
        this.inc({ directory, host, result }, count);
      }
    },
  });
  new Gauge({
    name: 'gsq_directory_paused_seconds',
    help: 'Remaining pause of a directory. Reason refused: it refused gsq. Reason unavailable: it did not answer. 0: no pause.',
    labelNames: ['directory', 'reason'],
    registers: [registry],
    collect() {
      const pauses = directories.pauses();
      for (const { name } of everyDirectory) {
        const pause = pauses.get(name);
        for (const reason of ['refused', 'unavailable']) {
          const isOn = pause?.kind === `directory-${reason}`;
          this.set({ directory: name, reason }, isOn ? pause.ms / 1000 : 0);
        }
      }
    },
  });
}
