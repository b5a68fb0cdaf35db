/** A worker process that queries every server of a list once, with the probes of gsq or with gamedig. */
import { GameDig } from 'gamedig';
import { Probes } from '../../prober/probes/probes.ts';
import type { FleetTarget } from './fleet-member.ts';
import { answerQuestions } from './worker.ts';

export interface Sweep {
  engine: 'gsq' | 'gamedig';
  /** Protocol id in the prober's registry of protocols. */
  protocol: string;
  /** The id that gamedig uses for a game with this protocol. */
  gamedigType: string;
  targets: readonly FleetTarget[];
  inFlight: number;
}

export interface SweepResult {
  /** Number of servers whose reply had the correct server name and player count. */
  online: number;
  /** Number of servers whose reply had a wrong server name or player count. */
  wrong: number;
  lost: number;
  seconds: number;
  /** CPU time that the process used for the queries, in microseconds. */
  cpu: number;
}

/** Reply timeout of gamedig, in milliseconds. The probes of gsq use the same timeout by default. */
const TIMEOUT_MS = 2000;

/** The fields of a gamedig result that the bench reads. */
interface GamedigAnswer {
  name: string;
  players: unknown[];
  bots: unknown[];
}

type Found = { name: string; players?: number } | undefined;
type Ask = (target: FleetTarget) => Promise<Found>;

async function byGsq({ protocol, gamedigType }: Sweep): Promise<{ ask: Ask; close: () => Promise<void> }> {
  const probes = await Probes.open({ warn: message => process.stderr.write(`${message}\n`) });
  const ask: Ask = async ({ address, port }) => {
    const result = await probes.probe({
      address,
      host: address,
      ports: [port],
      joinPort: port,
      protocol,
      gamedigId: gamedigType,
      confirm: false,
    });
    return result.outcome === 'PROBE_OUTCOME_ONLINE' ? result.payload : undefined;
  };
  return { ask, close: () => probes.close() };
}

function byGamedig({ gamedigType }: Sweep): { ask: Ask; close: () => Promise<void> } {
  const gamedig = new GameDig();
  const ask: Ask = async ({ address, port }) => {
    try {
      const { name, players, bots } = (await gamedig.query({
        type: gamedigType,
        address,
        host: address,
        port,
        givenPortOnly: true,
        portCache: false,
        maxRetries: 1,
        socketTimeout: TIMEOUT_MS,
        attemptTimeout: 5 * TIMEOUT_MS,
      })) as GamedigAnswer;
      return { name, players: players.length + bots.length };
    } catch {
      return undefined;
    }
  };
  return { ask, close: async () => {} };
}

async function sweep(question: Sweep): Promise<SweepResult> {
  const { targets, inFlight } = question;
  const { ask, close } = question.engine === 'gsq' ? await byGsq(question) : byGamedig(question);
  const result = { online: 0, wrong: 0, lost: 0 };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let target = targets[next++]; target; target = targets[next++]) {
      const found = await ask(target);
      if (!found) result.lost++;
      else if (found.name === target.name && found.players === target.players) result.online++;
      else result.wrong++;
    }
  };
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  await close();
  return { ...result, seconds, cpu: cpu.user + cpu.system };
}

answerQuestions(sweep);
