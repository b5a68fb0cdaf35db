import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import {
  type Environment,
  imageEnvironment,
  readProjectFile,
  readYaml,
  version,
} from '../deploy/container-files.ts';
import { copyImageFiles } from '../deploy/image-copy.ts';
import {
  addedManifests,
  COMPONENT,
  type Manifest,
  manifestFiles,
  manifests,
  podEnvironment,
  severalCores,
} from '../deploy/kubernetes-files.ts';
import { commandsBelow } from '../deploy/operations-page.ts';
import { ScratchMachine } from '../deploy/scratch-machine.ts';
import { Child } from '../system/child.ts';
import { enterOwnNetwork } from '../system/network-namespace.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { type ProcessName, processNames } from '../system/stack-settings.ts';
import { keepSecret } from '../system/transcript.ts';
import { until } from '../system/until.ts';

const run = promisify(execFile);
const PEERS = resolve(import.meta.dirname, '../../.peers');
const TOOLS = join(PEERS, 'containers');
const PAGE = 'docs/containers.md';
const UID = 10001;
/** The container image that kustomization.yaml sets for all pods. */
const IMAGE = `registry.example.com/gsq:${version}`;

const hadolint = (path: string) => run(join(TOOLS, 'bin/hadolint'), [path]);
const composeGo = (path: string) => run(join(TOOLS, 'compose-go/cmd'), [path]);
const validate = (...paths: string[]) =>
  run('python3', [join(TOOLS, 'bin/kubernetes-validate'), '--strict', ...paths], {
    env: { ...process.env, PYTHONPATH: TOOLS },
  });

/** Returns the Kubernetes objects that kustomize builds from a folder. */
async function kustomize(folder: string): Promise<Manifest[]> {
  const { stdout } = await run(join(TOOLS, 'kustomize/kustomize'), ['build', folder]);
  return parseAllDocuments(stdout).map(document => document.toJS() as Manifest);
}

/**
 * Returns kind and name of each Kubernetes object, sorted. Leaves out the autoscaler, because it is not installed by
 * default.
 */
function namesOf(objects: readonly Manifest[]): string[] {
  const installed = objects.filter(({ kind }) => kind !== 'HorizontalPodAutoscaler');
  return installed.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
}

/** Writes a changed copy of a file to a new directory, and returns its path. */
function changed(path: string, from: string, to: string): string {
  const text = readProjectFile(path);
  assert.ok(text.includes(from), from);
  const copy = join(scratchDirectory(), 'changed.yaml');
  writeFileSync(copy, text.replace(from, to));
  return copy;
}

describe('the checks of the container files', () => {
  test('hadolint accepts the Containerfile, and refuses an unknown instruction', async () => {
    await hadolint('deploy/container/Containerfile');
    await assert.rejects(hadolint(changed('deploy/container/Containerfile', 'EXPOSE', 'EXPOSES')));
  });

  test('compose-go accepts compose.yaml and cluster.yaml, and refuses an unknown key', async () => {
    await composeGo('deploy/compose/compose.yaml');
    await composeGo('deploy/compose/cluster.yaml');
    await assert.rejects(
      composeGo(changed('deploy/compose/compose.yaml', 'read_only:', 'readonly:')),
      /readonly/,
    );
  });

  test('validation with the Kubernetes schemas accepts all manifests, and refuses an unknown field', async () => {
    await validate(...manifestFiles.map(name => `deploy/kubernetes/${name}`));
    await assert.rejects(
      validate(changed('deploy/kubernetes/gateway.yaml', 'livenessProbe:', 'liveProbe:')),
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`.includes('liveProbe'),
    );
  });
});

describe('kustomize', () => {
  test('builds all manifests from kustomization.yaml', async () => {
    const built = await kustomize('deploy/kubernetes');
    assert.deepEqual(namesOf(built), namesOf(manifests));
  });

  test('adds the objects for several cores and changes the StatefulSet of the core if the component for several cores is on', async () => {
    const folder = scratchDirectory();
    cpSync('deploy/kubernetes', folder, { recursive: true });
    const path = join(folder, 'kustomization.yaml');
    const text = readFileSync(path, 'utf8').replace(/^#(?=components:| {2}- )/gm, '');
    assert.ok(text.includes(`\ncomponents:\n  - ${COMPONENT}\n`));
    writeFileSync(path, text.replace('  - gateway-autoscaler.yaml\n', ''));
    const built = await kustomize(folder);
    assert.deepEqual(namesOf(built), namesOf([...manifests, ...addedManifests]));
    const core = built.find(({ kind }) => kind === 'StatefulSet');
    assert.deepEqual(JSON.parse(JSON.stringify(core?.spec).replaceAll(IMAGE, 'gsq')), severalCores().spec);
    const file = join(folder, 'built.yaml');
    writeFileSync(file, built.map(object => `---\n${JSON.stringify(object)}\n`).join(''));
    await validate(file);
  });
});

/**
 * Simulates containers in a root directory that looks like a new machine. Processes run as user 10001, and can write
 * only to the volume of the core.
 */
class Containers {
  readonly machine: ScratchMachine;
  readonly #running = new Map<ProcessName, { child: Child; env: Environment }>();

  constructor() {
    const image = copyImageFiles();
    execFileSync('cp', ['-a', join(PEERS, 'image/node_modules'), image]);
    this.machine = new ScratchMachine(image);
    const { root } = this.machine;
    appendFileSync(join(root, 'etc/passwd'), `gsq:x:${UID}:${UID}::/nonexistent:/usr/sbin/nologin\n`);
    appendFileSync(join(root, 'etc/group'), `gsq:x:${UID}:\n`);
    this.machine.write('/etc/hosts', '127.0.0.1 localhost gsq-core\n');
    for (const path of ['var/lib/gsq', 'run/secrets', 'etc/gsq/tls', 'etc/gsq/secret', 'keys']) {
      mkdirSync(join(root, path), { recursive: true });
    }
    chownSync(join(root, 'var/lib/gsq'), UID, UID);
  }

  /** Starts a process with the environment of its container. Resolves when the process is ready. */
  async start(name: ProcessName, env: Environment): Promise<void> {
    const [program, args] = this.machine.commandLine(['/opt/gsq/deploy/container/entrypoint.sh', name], {
      user: 'gsq',
      readOnly: true,
      writable: name === 'core' ? '/var/lib/gsq' : '',
      cwd: '/opt/gsq',
      env,
    });
    const namespace = ['--pid', '--fork', '--kill-child', '--mount-proc', '--'];
    const child = await Child.start('unshare', () => [...namespace, program, ...args]);
    this.#running.set(name, { child, env });
    await until(
      `the ${name} is ready`,
      () => {
        if (!child.running) throw new Error(child.report);
        return child.output.includes('"msg":"ready"');
      },
      ready => ready,
    );
  }

  /** Runs a command in the container of a process, as `docker exec` does, and returns its standard output. */
  async exec(name: ProcessName, ...command: string[]): Promise<string> {
    const env = Object.entries(this.#running.get(name)?.env ?? {}).map(([key, value]) => `${key}=${value}`);
    const user = ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups'];
    const inside = ['--mount', '--pid', '--root', '--', ...user, 'env', '-i', '--chdir=/opt/gsq'];
    const path = `PATH=${dirname(process.execPath)}:/usr/bin`;
    const target = ['--target', `${this.#processId(name)}`];
    return (await run('nsenter', [...target, ...inside, path, ...env, ...command])).stdout;
  }

  /** Sends SIGTERM to process 1 of a container, and returns its exit status. */
  stop(name: ProcessName): Promise<unknown> {
    process.kill(this.#processId(name), 'SIGTERM');
    return this.#running.get(name)?.child.ended ?? Promise.resolve();
  }

  async kill(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ child }) => child.stop('SIGKILL')));
  }

  /**
   * Returns the id that the first process of a container has on the host. This process is the only child of `unshare`,
   * which starts the container.
   */
  #processId(name: ProcessName): number {
    const pid = this.#running.get(name)?.child.pid;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  }
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return response.status === 200;
}

describe('the container image', () => {
  let containers: Containers;

  before(async () => {
    await enterOwnNetwork();
    containers = new Containers();
    await containers.machine.run(commandsBelow('### Start', PAGE));
    const keys = join(containers.machine.root, 'keys');
    await run('bash', ['-euo', 'pipefail', '-c', commandsBelow('### 2. Create the secrets', PAGE)], {
      cwd: keys,
    });
    for (const path of ['etc/gsq/internal.secret', 'keys/internal.secret']) {
      keepSecret(readFileSync(join(containers.machine.root, path), 'utf8').trim());
    }
  });
  after(() => containers?.kill());

  /** Stops all processes in the order of docs/operations.md. */
  async function stopAll(): Promise<void> {
    for (const name of ['gateway', 'notifier', 'prober', 'core'] as const) {
      assert.equal(await containers.stop(name), 0, name);
    }
  }

  test('starts and stops all processes cleanly with the environment of compose.yaml', async () => {
    await containers.machine.run('cp -p /etc/gsq/internal.secret /run/secrets/');
    const [compose] = readYaml<{ services: Record<string, { environment: Environment }> }>(
      'deploy/compose/compose.yaml',
    );
    for (const name of processNames.toSorted()) {
      await containers.start(name, { ...imageEnvironment(), ...compose?.services[name]?.environment });
    }
    await until('the gateway reaches the core', () => isReady(9090), Boolean);
    for (const name of processNames) await containers.exec(name, '/opt/gsq/deploy/container/healthcheck.sh');
    await stopAll();
  });

  test('connects all processes by TLS with the environment and secrets of the Kubernetes manifests', async () => {
    rmSync(join(containers.machine.root, 'var/lib/gsq/data'), { recursive: true });
    // Installs the files with the rights that Kubernetes gives them: root is the owner, and the group of the process
    // can read them.
    const mount = (certificate: string) => `
      cp /keys/${certificate}.pem /etc/gsq/tls/tls.crt
      cp /keys/${certificate}.key /etc/gsq/tls/tls.key
      cp /keys/ca.pem /etc/gsq/tls/ca.crt
      cp /keys/internal.secret /etc/gsq/secret/
      chown root:${UID} /etc/gsq/*/*
      chmod 0440 /etc/gsq/*/*`;
    await containers.machine.run(mount('core'));
    await containers.start('core', podEnvironment('core'));
    const created = await containers.exec(
      'core',
      ...['node', 'cli/gsq.mjs', 'token', 'create', '--email', 'you@example.com'],
    );
    keepSecret(created.trim().split('\n').at(-1) ?? '');
    await containers.machine.run(mount('clients'));
    for (const name of ['prober', 'notifier', 'gateway'] as const) {
      await containers.start(name, podEnvironment(name));
    }
    for (const port of [9090, 9092, 9093]) await until(`${port} is ready`, () => isReady(port), Boolean);
    for (const name of processNames) await containers.exec(name, '/opt/gsq/deploy/container/healthcheck.sh');
    await stopAll();
  });
});
