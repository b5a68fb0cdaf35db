/**
 * How the tests run a shell block (a code block of shell commands) of the documentation. Exactly one of the fields is
 * present.
 */
export interface BlockRun {
  /** Path of the file that runs the shell block of the documentation: a test, or a script such as `.ci/run`. */
  by?: string;
  /**
   * Regular expression that the output of the shell block must match. Present only if
   * test/peers/docs-commands.test.ts runs the block, against a running demo of gsq.
   */
  demo?: RegExp;
  /**
   * True if test/peers/docs-starts.test.ts runs the shell block of the documentation. Such a block starts processes of
   * gsq, or prepares their start.
   */
  starts?: true;
  /** The reason why no test can run the shell block of the documentation. */
  notRun?: string;
}

const demo = (shows: RegExp): BlockRun => ({ demo: shows });
const by = (path: string): BlockRun => ({ by: path });
const notRun = (why: string): BlockRun => ({ notRun: why });
const starts: BlockRun = { starts: true };

const ci = by('.ci/run');
const samples = by('test/peers/samples.test.ts');
const migration = by('test/engines/migrate.test.ts');
const units = by('test/deploy/units.slow.test.ts');
const incidents = by('test/system/incidents.slow.test.ts');
const upgrade = by('test/system/upgrade.slow.test.ts');
const webhookRecipes = by('test/system/webhook-recipes.slow.test.ts');
const containers = by('test/peers/containers.test.ts');
const NO_CONTAINERS =
  'it needs a container runtime; test/peers/containers.test.ts starts the files of the image';
const NO_CLUSTER =
  'it needs a cluster; test/peers/containers.test.ts starts gsq with the secrets and the environment';
const NO_ENGINE_CONTAINERS =
  'it needs a container runtime; test/engines/compose.test.ts starts the services of the file without containers';
const NO_MACHINES = 'it needs several machines with the installed units or with nodes of an engine';
const grafana = by('test/peers/grafana-recipe.test.ts');
const dashboards = by('test/peers/dashboards-recipe.test.ts');

/**
 * How each shell block of the documentation is run. Keyed by the page and then by the heading above the block. The
 * blocks below a heading are in the order of the page.
 */
export const blockRuns: Readonly<Record<string, Readonly<Record<string, readonly BlockRun[]>>>> = {
  'README.md': {
    '## Run it': [starts, starts],
    '## First request': [demo(/"127\.0\.[^"]+":\{.*"status":"online"/s)],
    '## By gRPC': [demo(/gsq\.v1\.ServerService.*"counterstrike2".*SERVER_STATUS_ONLINE/s)],
    '## Command line': [demo(/Demo \| .*gsq_\w+.*counterstrike2.*tracked/s)],
    '## Test it': [ci],
  },
  'client/README.md': { '## Install': [by('test/client/package.test.ts')] },
  'docs/configuration.md': {
    '## See which settings a process uses': [
      by('test/cli/print-config.slow.test.ts'),
      notRun('an example of the output of the block above'),
    ],
  },
  'docs/containers.md': {
    '## Build the image': [notRun(NO_CONTAINERS), notRun(NO_CONTAINERS)],
    '### Start': [containers, notRun(NO_CONTAINERS)],
    '### Back up and restore with Compose': [notRun(NO_CONTAINERS), notRun(NO_CONTAINERS)],
    '### Upgrade with Compose': [notRun(NO_CONTAINERS)],
    '### Several cores with Compose': [notRun(NO_ENGINE_CONTAINERS), notRun(NO_ENGINE_CONTAINERS)],
    '### 1. Push the image': [notRun(NO_CONTAINERS)],
    '### 2. Create the secrets': [containers, notRun(NO_CLUSTER)],
    '### 3. Start in the cluster': [notRun(NO_CLUSTER)],
    '### Back up and restore in the cluster': [notRun(NO_CLUSTER)],
    '### Upgrade in the cluster': [notRun(NO_CLUSTER), notRun(NO_CLUSTER)],
    '### Several cores in Kubernetes': [notRun(NO_CONTAINERS), notRun(NO_CLUSTER), notRun(NO_CLUSTER)],
  },
  'docs/grpc.md': {
    '## Call gsq from Go, Python, Rust and Node': [samples],
    '### Go': [samples, samples],
    '### Python': [samples, samples],
    '### Rust': [samples, samples],
    '### Node': [samples],
    '## Search the tracked servers': [demo(/Demo \| Survival/)],
    '## REST through a transcoder': [by('test/peers/transcoders.test.ts')],
    '## The history of a server': [demo(/"stepSeconds": 60/)],
    '## Webhooks': [demo(/"webhooks": \[|^\{\}/)],
  },
  'docs/operations.md': {
    '## Install': [ci],
    '## Run on one machine': [starts],
    '## Run the processes alone': [starts],
    '### 1. Put the project in /opt/gsq': [
      notRun('it changes the owner of the project; the units run in a copy of the file system at /opt/gsq'),
    ],
    '### 2. Create the users, the secret and the units': [units],
    '### 3. Start': [units, notRun('it needs a running systemd; the units run without systemd in a test')],
    '### 4. Create a token and fetch': [units, demo(/"status":"(pending|online)"/)],
    '### Certificates and other secrets': [units, notRun('it opens an editor')],
    '### Several machines under systemd': [
      units,
      notRun('it needs a running systemd and an engine; systemd reads the files'),
    ],
    '### Units of version 0.1.0': [units],
    '## Several machines': [starts, starts],
    '## The first token': [demo(/^gsq_\w+$/m)],
    '## TLS for callers': [
      notRun('it sets the paths of certificates of the reader; the last block of the section sets the same'),
      samples,
      starts,
    ],
    '## Import a list of servers': [demo(/would be inserted.*inserted/s), demo(/^$/)],
    '## Servers that want a password': [demo(/secret/)],
    '## Back up and restore': [demo(/./)],
    '### GsqDown': [incidents],
    '### GsqNoProber': [incidents],
    '### GsqNoNotifier': [incidents],
    '### GsqProbesStopped': [incidents],
    '### GsqProberCutOff': [incidents],
    '### GsqManyServersLost': [incidents],
    '### GsqScheduleLate': [incidents],
    '### GsqErrors': [incidents],
    '### GsqOverloaded': [incidents],
    '### GsqSlow': [incidents],
    '### GsqStoreFailed': [incidents],
    '### GsqDiskNearlyFull': [incidents],
    '### GsqNearlyFull': [incidents],
    '### GsqInsertsRefused': [incidents],
    '### GsqDirectoryRefused': [incidents],
  },
  'docs/pages.md': { '# Pages': [starts], '## Who can see the pages': [demo(/ public$/m)] },
  'docs/performance.md': {
    '## Run the benchmark': [notRun('each command takes many minutes')],
    '## Comparing two commits': [notRun('each command takes many minutes')],
    '## Soak': [notRun('it takes half an hour')],
  },
  'docs/recipes/abuse-complaint.md': {
    '## 1. Find the server and the token': [demo(/^csgo +127\.0\.0\.1:27015 .* tok_\w+ /s)],
    '## 2. See what else the token did': [demo(/FREE, ann@example\.com/), demo(/"route":"fetch"/)],
    '## 3. Stop it': [
      demo(/is revoked/),
      demo(/27015 +removed\n127\.0\.0\.1:27016 +removed/),
      notRun('it is a setting; test/contract tests the setting'),
    ],
    '## 4. Check it in the log': [demo(/"act":"RevokeToken".*"act":"RemoveServers"/s)],
  },
  'docs/recipes/alert-on-my-server.md': {
    '## 1. Start gsq and a receiver': [starts, webhookRecipes],
    '## 2. Register the webhook': [webhookRecipes, webhookRecipes],
    '## 3. Try it': [webhookRecipes],
    '## 5. Remove it': [webhookRecipes],
  },
  'docs/recipes/discord-message.md': {
    '## 1. Start gsq and the stand-in': [starts, webhookRecipes],
    '## 2. Register the webhook': [webhookRecipes],
    '## 3. Watch the message': [webhookRecipes, webhookRecipes],
  },
  'docs/recipes/graph-in-grafana.md': {
    '## 1. Start gsq': [starts],
    '## 2. Choose a server': [grafana],
    '## 3. Look at the history': [grafana, grafana],
    '## 5. Show the uptime': [grafana],
  },
  'docs/recipes/migrate.md': {
    '## 1. Create a token for each client': [demo(/^gsq_\w+$/m)],
    '## 2. Give gsq an address that the clients can use': [starts, starts],
    '## 3. Try one server': [demo(/"_updater"/), demo(/counterstrike2/), demo(/added/)],
    '## 5. Change the forum plugin': [demo(/plugin\.php:1:/)],
    '## Go back': [demo(/is revoked/)],
  },
  'docs/recipes/show-elsewhere.md': {
    '# Show servers on dashboards': [starts],
    '## Homepage': [dashboards],
    '## Glance': [dashboards],
    '## Uptime Kuma': [dashboards],
    '## Prometheus': [dashboards],
    '## Pterodactyl': [dashboards],
  },
  'docs/rest.md': {
    '## Paths that read': [demo(/"servers":\d+/)],
    '## GET /v1/servers': [demo(/Demo \| Survival/)],
    '## GET /v1/servers/{game_id}/{address}': [demo(/Demo \| Dust all day/)],
    '## GET /v1/summary': [demo(/"games":\[/)],
    '## GET /v1/status': [demo(/"probers":1/)],
    '## The history of a server': [demo(/"samples".*"windows".*"incidents"/s)],
    '## GET /v1/events': [demo(/^event/m)],
    '## Webhooks': [demo(/"id":"hook_/)],
  },
  'docs/scaling.md': {
    '## From one machine to three': [
      notRun(NO_MACHINES),
      notRun(NO_MACHINES),
      notRun(NO_MACHINES),
      notRun(NO_MACHINES),
      notRun('it needs the installed units and an engine; test/engines/migrate.test.ts migrates'),
    ],
    '## Install the storage engine': [notRun(NO_MACHINES)],
    '## Move the store to Redis or Valkey, and back': [migration, migration, migration],
    '## Replace a lost machine': [notRun(NO_MACHINES), notRun(NO_MACHINES)],
    '## Back up and restore with several cores': [
      notRun(NO_MACHINES),
      notRun('it deletes everything in an engine'),
      notRun('it needs the installed units and an engine; test/engines/migrate.test.ts migrates'),
    ],
  },
  'docs/truth.md': { '# Are "online" and "offline" true?': [ci] },
  'docs/upgrading.md': {
    '### 1. Make a backup': [demo(/before-upgrade\.ndjson/)],
    '### 2. Install the new version': [ci],
    '### 3. Check your settings': [by('test/cli/print-config.slow.test.ts')],
    '### 4. Replace the core': [upgrade],
    '### 5. Check the core': [upgrade],
    '### 6. Restart the gateways and the probers': [demo(/store.*counterstrike2/s)],
    '### With the systemd units': [notRun('it needs a running systemd')],
    '### 1. Stop the new version': [upgrade],
    '### 2. Bring the old data back': [upgrade, upgrade],
    '### 3. Start the old version': [upgrade, notRun('it needs a running systemd')],
    '### 4. Check the old version': [upgrade],
  },
  'proto/released/README.md': { '': [demo(/^$/)] },
};
