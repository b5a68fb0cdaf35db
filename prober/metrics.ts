import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProbeOutcome } from '../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { Probes } from './probe.ts';
import { protocols } from './protocols/registry.ts';

/** Keeps count of probes. */
export interface ProbeTally {
  begin(): void;
  /** `protocol` as the catalog names it. */
  end(protocol: string, outcome: ProbeOutcome | undefined): void;
}

/** Registers what the prober tells of its work. */
export function countProbes(registry: Registry, probes: Probes): ProbeTally {
  const registers = [registry];
  let inFlight = 0;
  const done = new Counter({
    name: 'gsq_probes_total',
    help: 'Probes done, by protocol (gamedig for all it is asked for) and outcome.',
    labelNames: ['protocol', 'outcome'],
    registers,
  });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  const counter = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });

  gauge(
    'gsq_probes_in_flight',
    'Leases held: probes under way, and those that wait for their turn.',
    () => inFlight,
  );
  counter(
    'gsq_packets_sent_total',
    'Packets sent to game servers; a TCP connection is one.',
    () => probes.packetsSent,
  );
  counter('gsq_stray_datagrams_total', 'Datagrams nobody waited for.', () => probes.strayDatagrams);
  gauge('gsq_budgeted_addresses', 'IP addresses whose budgets are kept.', () => probes.addresses);
  gauge(
    'gsq_udp_receive_buffer_bytes',
    'Receive buffer of a UDP socket as the kernel tells it; Linux tells twice what was asked for.',
    () => probes.receiveBuffer,
  );

  /** Counters found once: looking one up by its labels takes 1 µs. */
  const counters = new Map<string, Map<ProbeOutcome, Counter.Internal>>();
  const counterOf = (protocol: string, outcome: ProbeOutcome): Counter.Internal => {
    const name = protocols.has(protocol) ? protocol : 'gamedig';
    let byOutcome = counters.get(name);
    if (!byOutcome) {
      byOutcome = new Map();
      counters.set(name, byOutcome);
    }
    let found = byOutcome.get(outcome);
    if (!found) {
      found = done.labels(name, String(outcome).replace('PROBE_OUTCOME_', '').toLowerCase());
      byOutcome.set(outcome, found);
    }
    return found;
  };

  return {
    begin() {
      inFlight++;
    },
    end(protocol, outcome = 'PROBE_OUTCOME_UNSPECIFIED') {
      inFlight--;
      counterOf(protocol, outcome).inc();
    },
  };
}
