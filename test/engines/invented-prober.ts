/**
 * A simulated prober that reports invented players, and sends no packets to game servers. It runs in a process of its
 * own, and gets requests (`InventedReports`) from its parent process.
 */
import { Sessions } from '../../prober/sessions.ts';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { Lease__Output } from '../../proto/generated/gsq/v1/Lease.ts';
import type { StatusReport } from '../../proto/generated/gsq/v1/StatusReport.ts';
import { createLogger } from '../../runtime/log.ts';
import { answerQuestions } from '../bench/worker.ts';
import { patientSecurity } from '../system/changing-servers.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';

/** A request to the simulated prober: how many reports with invented players to send, to which cores, and how fast. */
export interface InventedReports {
  /**
   * Addresses of the internal ports of the cores that get the reports, `host:port`. If the list is empty, the simulated
   * prober disconnects from all cores.
   */
  cores: readonly string[];
  /** Number of probe reports to send, to all cores together. */
  reports: number;
  /** Number of probe reports that are sent per second, to all cores together. */
  perSecond: number;
}

/** Maximum number of leases (orders to probe a server) from all cores together: the default of GSQ_MAX_IN_FLIGHT. */
const MAX_IN_FLIGHT = 2_000;
const TICK_MS = 2;
/**
 * A request to the simulated prober fails if it takes this many times longer than planned. This happens if the cores
 * send too few leases.
 */
const MOST_DELAYED = 10;
/** Invented players. They are so many that a stored record has 300 bytes, about the size of a real record. */
const PLAYERS = Array.from({ length: 12 }, (_, i) => ({ name: `player ${i}`, score: i, time: 60 }));

/** An order to probe a server, for which the simulated prober has sent no report yet. */
interface Waiting {
  lease: Lease__Output;
  probed: (report: StatusReport) => void;
}

const waiting: Waiting[] = [];
let connected = '';
let sessions: Sessions | undefined;
let reported = 0;

/** Returns a report about a server. The player list in the report differs from the list in the previous report. */
function inventedReport({ leaseId, host, port, queryPorts }: Lease__Output): StatusReport {
  reported++;
  return {
    leaseId,
    outcome: 'PROBE_OUTCOME_ONLINE',
    queryPort: queryPorts[0] ?? port,
    payload: {
      name: `A server at ${host}:${port}`,
      map: 'de_dust2',
      players: PLAYERS.length,
      maxplayers: 64,
      ping: 20 + (reported % 20),
      playerList: [{ name: 'The first player', score: reported, time: reported }, ...PLAYERS.slice(1)],
    },
    signals: { packetsSent: 2, packetsLost: 0 },
  };
}

/**
 * Ends all sessions with cores, and opens sessions with the given cores. Does nothing if the cores have not changed.
 */
async function connect(cores: readonly string[]): Promise<void> {
  if (connected === cores.join()) return;
  connected = cores.join();
  await sessions?.close();
  waiting.length = 0;
  sessions = undefined;
  if (cores.length === 0) return;
  sessions = new Sessions({
    members: { addresses: cores, watch: () => () => {} },
    clientOf: address => clients.probe(address, patientSecurity),
    metadata: internalMetadata(INTERNAL_SECRET),
    prober: 'invented',
    maxInFlight: MAX_IN_FLIGHT,
    probe: (lease, _policy, probed) => void waiting.push({ lease, probed }),
    log: createLogger('prober', 'warn'),
  });
}

async function report({ cores, reports, perSecond }: InventedReports): Promise<void> {
  await connect(cores);
  const began = performance.now();
  let done = 0;
  await new Promise<void>((resolve, reject) => {
    const timer = setInterval(() => {
      const seconds = (performance.now() - began) / 1000;
      const due = Math.min(reports, Math.floor(seconds * perSecond)) - done;
      for (const { lease, probed } of waiting.splice(0, due)) {
        probed(inventedReport(lease));
        done++;
      }
      if (done < reports && seconds * perSecond < reports * MOST_DELAYED) return;
      clearInterval(timer);
      if (done === reports) resolve();
      else reject(new Error(`the cores leased only ${done} of ${reports} probes`));
    }, TICK_MS);
  });
}

// Answers the parent process when all requested reports have been created. The last reports can be sent up to 20 ms
// later.
answerQuestions(report);
