import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gsqV1 } from '../../proto/descriptors.ts';
import { formatEndpoint } from '../../runtime/endpoint.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Arguments, type Command, CommandError, UsageError } from '../console/command.ts';
import { withRunnableCommands } from '../console/invocation.ts';
import { jsonLine } from '../console/printable.ts';
import { TextTable } from '../console/text-table.ts';
import { withCore } from '../service/core-call.ts';
import { runOffline } from '../service/offline.ts';

const OPS_MS = 5_000;

/** Result of one check of `gsq doctor`. */
interface Finding {
  what: string;
  ok: boolean;
  /**
   * Message of `gsq doctor` for the user: the result of the check. If the check found a problem, the message also says
   * what to do about it.
   */
  message: string;
}

type Metrics = ReadonlyMap<string, number>;

/** Returns the metrics of a core. Rejects if no core answers at this address. */
async function metricsOf(address: string): Promise<Metrics> {
  const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(OPS_MS) });
  const lines = (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'));
  const metrics = new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
  if (!metrics.has('gsq_store_writable')) throw new Error('these are not the metrics of a core');
  return metrics;
}

/**
 * The gateway, the prober and the notifier, each with the setting for the address of its ops endpoint (health checks
 * and metrics).
 */
const OTHERS = [
  ['gateway', 'GSQ_GATEWAY_OPS_ADDR'],
  ['prober', 'GSQ_PROBER_OPS_ADDR'],
  ['notifier', 'GSQ_NOTIFIER_OPS_ADDR'],
] as const;

async function readiness([what, setting]: (typeof OTHERS)[number], read: Arguments): Promise<Finding> {
  const address = formatEndpoint(read.config[setting]);
  try {
    const response = await fetch(`http://${address}/readyz`, { signal: AbortSignal.timeout(OPS_MS) });
    const { reason = '' } = (await response.json()) as { reason?: string };
    return {
      what,
      ok: response.ok,
      message: response.ok ? `ready at ${address}` : `at ${address}: ${reason}`,
    };
  } catch {
    return {
      what,
      ok: false,
      message: `nothing answers at ${address}; start the ${what}, or set its address with ${setting}`,
    };
  }
}

/** True if the core uses the embedded store (LevelDB), and not Redis or Valkey. */
function isEmbedded(metrics: Metrics): boolean {
  return metrics.has('gsq_history_bytes');
}

function storeFinding(metrics: Metrics): Finding {
  const free = isEmbedded(metrics) ? ` ${metrics.get('gsq_store_disk_free_bytes') ?? 0} bytes free,` : '';
  if (metrics.get('gsq_store_writable') === 1) {
    const errors = metrics.get('gsq_store_write_errors_total') ?? 0;
    return {
      what: 'store',
      ok: true,
      message: `accepts writes;${free} ${errors} failed writes since the start`,
    };
  }
  const mend = isEmbedded(metrics) ? 'free space on its disk' : 'check the Redis or Valkey';
  return {
    what: 'store',
    ok: false,
    message: `accepts no writes;${free} inserts are refused, fetches are still answered. If gsq migrate runs, this ends with it; otherwise ${mend}, and read the log of the core`,
  };
}

function historyFinding(metrics: Metrics): Finding {
  const count = (name: string): number => metrics.get(`gsq_history_${name}`) ?? 0;
  const bytes = count('bytes');
  const damaged = count('damaged_directories_total');
  if (damaged > 0)
    return {
      what: 'history',
      ok: false,
      message: isEmbedded(metrics)
        ? `${damaged} damaged directories were moved to history/damaged in the data directory since the start; their part of the history is lost, the rest works. Check the disk, and delete them if you do not need them`
        : `${damaged} damaged strings were renamed to gsq-history:{…}:damaged/… in the Redis or Valkey since the start; their part of the history is lost, the rest works. The log of the core contains their names`,
    };
  const corrupt = count('corrupt_entries_total');
  const dropped = count('dropped_writes_total');
  if (corrupt + dropped > 0)
    return {
      what: 'history',
      ok: false,
      message: `${dropped} writes were lost and ${corrupt} entries are damaged since the start; free space on its disk, check the disk, and read the log of the core`,
    };
  return {
    what: 'history',
    ok: true,
    message: `${isEmbedded(metrics) ? `${bytes} bytes, ` : ''}${count('write_errors_total')} failed writes since the start`,
  };
}

/** Checks the running processes of gsq for `gsq doctor`. Returns undefined if no core answers. */
async function running(read: Arguments): Promise<Finding[] | undefined> {
  const findings: Finding[] = [];
  try {
    const stats = await withCore(read.config, call => call(gsqV1.AdminService.service.GetStats, {}));
    const { tracked, online, offline, pending, probers } = stats;
    findings.push({
      what: 'core',
      ok: true,
      message: `${tracked} servers: ${online} online, ${offline} offline, ${pending} pending`,
    });
    findings.push(
      probers > 0
        ? { what: 'probers', ok: true, message: `${probers} connected` }
        : {
            what: 'probers',
            ok: false,
            message: 'none connected, so no game server is probed; start a prober',
          },
    );
  } catch (error) {
    if (error instanceof CommandError && error.status === exitStatus.unreachable) return undefined;
    throw error;
  }
  const ops = formatEndpoint(read.config.GSQ_CORE_OPS_ADDR);
  try {
    const metrics = await metricsOf(ops);
    findings.push(storeFinding(metrics), historyFinding(metrics));
    if (metrics.get('gsq_schedule_frozen') === 1)
      findings.push({
        what: 'schedule',
        ok: false,
        message:
          'failed probes are ignored, because the internet connection of a prober seems down; check its network',
      });
    const corrupt = metrics.get('gsq_store_corrupt_entries_total') ?? 0;
    if (corrupt > 0)
      findings.push({
        what: 'usage',
        ok: false,
        message: `${corrupt} stored entries (usage of tokens, given-up servers) were damaged and dropped; check the disk`,
      });
  } catch {
    findings.push({
      what: 'core',
      ok: false,
      message: `its ops endpoint does not answer at ${ops}; set the right address with GSQ_CORE_OPS_ADDR`,
    });
  }
  findings.push(...(await Promise.all(OTHERS.map(other => readiness(other, read)))));
  return findings;
}

async function space(read: Arguments): Promise<Finding> {
  const directory = resolve(read.config.GSQ_DATA_DIR);
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const least = read.config.GSQ_MIN_FREE_SPACE;
  return free >= least
    ? { what: 'disk', ok: true, message: `${free} bytes free` }
    : {
        what: 'disk',
        ok: false,
        message: `${free} bytes free, but GSQ_MIN_FREE_SPACE needs ${least}; free space on this disk`,
      };
}

export const doctor: Command = {
  usage: ['[--offline] [--json]'],
  about: `Finds problems and says how to fix them. If a core answers, the command checks the core, the gateway,
    the prober and the notifier. If no core answers, it checks every entry in the data directory GSQ_DATA_DIR
    (--data-dir). For this, it reads a copy that it makes on the same disk. It changes nothing. The exit
    status is 1 if there is a problem.`,
  options: {
    offline: { type: 'boolean', about: 'check the data directory even if a core answers' },
    json: { type: 'boolean', about: 'print a JSON array of {what, ok, message}' },
  },
  async run(read, terminal) {
    if (read.positionals.length > 0) throw new UsageError('doctor takes no argument');
    let findings = read.flag('offline') ? undefined : await running(read);
    if (!findings) {
      if (!read.flag('offline')) terminal.talk('no core answers; checking the data directory instead');
      let text = '';
      const env = { ...terminal.env, ...read.given };
      const status = await runOffline(['examine'], env, terminal, chunk => {
        text += chunk.toString();
      });
      if (text === '') return status;
      findings = text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Finding);
      if (existsSync(join(read.config.GSQ_DATA_DIR, 'leveldb'))) findings.push(await space(read));
    }
    if (read.flag('json')) terminal.out(jsonLine(findings));
    else
      terminal.out(
        new TextTable(terminal.stdout).format(
          findings.map(({ what, ok, message }) => [
            ok ? { text: 'ok', style: 'good' } : { text: 'WRONG', style: 'bad' },
            what,
            withRunnableCommands(message),
          ]),
        ),
      );
    return findings.every(({ ok }) => ok) ? exitStatus.ok : exitStatus.failed;
  },
};
