/**
 * Runs the shell blocks of the documentation that start gsq (`starts` in test/docs/block-runs.ts), with other paths,
 * addresses and ports. Waits until all processes are ready.
 */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { blockRuns } from '../docs/block-runs.ts';
import { type PageShell, runBlock } from '../docs/page-shell.ts';
import { shellBlocks } from '../docs/shell-blocks.ts';
import { Child } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { freePort } from './free-port.ts';

const START = /^(?:[A-Z_]+=\S+ )*npm (?:start|run (core|gateway|prober|notifier))\b/;
const PORTS = ['HTTP', 'GRPC', 'INTERNAL', 'CORE_OPS', 'GATEWAY_OPS', 'PROBER_OPS', 'NOTIFIER_OPS'] as const;

/** Directory with the files that the documented commands need: TLS certificates with their keys, and a secret. */
const home = scratchDirectory();

/**
 * Returns the environment of a shell that runs commands of the documentation. In this shell, the processes of gsq
 * listen on free ports, and use a new data directory.
 */
async function newShell(): Promise<PageShell & { ports: Record<(typeof PORTS)[number], number> }> {
  const numbers = await Promise.all(PORTS.map(async name => [name, await freePort()] as const));
  const addresses = numbers.map(([name, port]) => [`GSQ_${name}_ADDR`, `127.0.0.1:${port}`]);
  const env = {
    ...Object.fromEntries(addresses),
    GSQ_DATA_DIR: scratchDirectory(),
    GSQ_DNS_SERVERS: '127.0.0.1:9',
  };
  return { home, env, ports: Object.fromEntries(numbers) as Record<(typeof PORTS)[number], number> };
}

/**
 * Starts a process of gsq with a command of the documentation, and waits until it is ready. `settings`: the `export`
 * lines above the command.
 */
async function start(
  shell: Awaited<ReturnType<typeof newShell>>,
  settings: string,
  line: string,
): Promise<Child> {
  const child = await Child.start('bash', () => ['-c', `${settings}exec env ${line}`], {
    env: { ...shell.env },
    stdoutIsData: true,
  });
  const [, name] = START.exec(line) ?? [];
  const ops = `${name ?? 'gateway'}_OPS`.toUpperCase() as (typeof PORTS)[number];
  const ready = until(
    `${line} is ready`,
    () =>
      fetch(`http://127.0.0.1:${shell.ports[ops]}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    Boolean,
  );
  await Promise.race([ready, child.ended.then(() => Promise.reject(new Error(child.report)))]);
  return child;
}

/**
 * Runs the lines of a shell block in their order, and waits until each started process is ready. Then stops the
 * processes.
 */
async function follow(code: string): Promise<void> {
  const shell = await newShell();
  const replaced = code
    .replaceAll('/var/lib/gsq', shell.env.GSQ_DATA_DIR ?? '')
    .replaceAll('/etc/gsq', home)
    .replaceAll('=cert.pem', `=${home}/cert.pem`)
    .replaceAll('=key.pem', `=${home}/key.pem`)
    .replaceAll('10.0.0.5:8080', `127.0.0.1:${shell.ports.HTTP}`)
    .replaceAll('10.0.0.5:50052', `127.0.0.1:${shell.ports.INTERNAL}`)
    .replace(/([= ]):50052/, `$1127.0.0.1:${shell.ports.INTERNAL}`)
    .replace(/([= ]):8(?:080|443)/, `$1127.0.0.1:${shell.ports.HTTP}`);
  const started: Child[] = [];
  let settings = '';
  try {
    for (const line of replaced
      .split('\n')
      .map(text => text.replace(/ *(?:^| )#.*$/, '').replace(/^npm ci && /, ''))) {
      if (START.test(line)) started.unshift(await start(shell, settings, line));
      else if (line.startsWith('export ')) settings += `${line}\n`;
      else if (line !== '') await runBlock(shell, settings + line);
    }
  } finally {
    await Promise.all(started.map(child => child.stop()));
  }
  assert.ok(started.length > 0, 'the block starts nothing');
}

describe('the documented commands that start gsq', () => {
  before(async () => {
    const certificate = shellBlocks().find(({ code }) => code.startsWith('openssl req -x509 -newkey'));
    await runBlock({ home, env: {} }, certificate?.code ?? '');
    copyFileSync(join(home, 'cert.pem'), join(home, 'fullchain.pem'));
    copyFileSync(join(home, 'key.pem'), join(home, 'privkey.pem'));
    writeFileSync(join(home, 'internal.secret'), INTERNAL_SECRET, { mode: 0o600 });
  });

  for (const [page, headings] of Object.entries(blockRuns)) {
    for (const [heading, runs] of Object.entries(headings)) {
      const blocks = shellBlocks().filter(block => block.page === page && block.heading === heading);
      for (const [number, run] of runs.entries()) {
        if (!run.starts) continue;
        const code = blocks[number]?.code ?? '';
        test(`succeed in ${page}, section "${heading}": ${code.trim().split('\n', 1)[0]}`, async () => {
          if (/^npm |npm (?:start|run )/m.test(code)) await follow(code);
          else await runBlock({ home, env: {} }, code.replaceAll('10.0.0.5', '127.0.0.1'));
        });
      }
    }
  }
});
