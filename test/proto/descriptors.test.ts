import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorImage, gsqV1 } from '../../proto/descriptors.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const root = resolve(import.meta.dirname, '../..');

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

describe('npm run proto on a copy of the repository', () => {
  const fresh = scratchDirectory();

  before(() => {
    // Runs the generator script on a copy of the repository, so that the test does not change files of the repository.
    cpSync(join(root, 'proto'), join(fresh, 'proto'), {
      recursive: true,
      filter: path => !path.startsWith(join(root, 'proto/generated')) && !path.endsWith('.binpb'),
    });
    for (const part of [
      'package.json',
      'runtime/bundle.mjs',
      'runtime/load-typescript.mjs',
      'runtime/typescript.mjs',
      'scripts/generate-proto.sh',
      'scripts/generate-codecs.ts',
      'scripts/codecs',
    ])
      cpSync(join(root, part), join(fresh, part), { recursive: true });
    symlinkSync(realpathSync(join(root, 'node_modules')), join(fresh, 'node_modules'));
    execFileSync(join(fresh, 'scripts/generate-proto.sh'), {
      env: {
        ...process.env,
        PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
        HOME: fresh,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  });

  test('creates the same descriptor image gsq.binpb as the committed one', () => {
    assert.ok(readFileSync(join(fresh, 'proto/gsq.binpb')).equals(descriptorImage), 'run npm run proto');
  });

  test('creates the same types and codecs as the committed ones', () => {
    const ours = join(root, 'proto/generated');
    const theirs = join(fresh, 'proto/generated');
    const files = filesUnder(theirs);
    assert.ok(files.length > 50);
    assert.deepEqual(filesUnder(ours), files);
    for (const file of files) {
      assert.equal(readFileSync(join(ours, file), 'utf8'), readFileSync(join(theirs, file), 'utf8'), file);
    }
  });
});

test('the services and methods that proto-loader loads are the same as in the descriptor image gsq.binpb', () => {
  const image = fromBinary(FileDescriptorSetSchema, descriptorImage);
  const services = image.file
    .filter(file => file.package === 'gsq.v1')
    .flatMap(file => file.service)
    .map(service => [service.name, service.method.map(({ name }) => name).sort()] as const);
  assert.deepEqual(services.map(([name]) => name).sort(), [
    'AdminService',
    'ClusterService',
    'GameService',
    'HistoryService',
    'NotifyService',
    'ProbeService',
    'ServerService',
    'WebhookService',
  ]);
  const loaded: Record<string, string[]> = {
    AdminService: Object.keys(gsqV1.AdminService.service).sort(),
    ClusterService: Object.keys(gsqV1.ClusterService.service).sort(),
    GameService: Object.keys(gsqV1.GameService.service).sort(),
    HistoryService: Object.keys(gsqV1.HistoryService.service).sort(),
    NotifyService: Object.keys(gsqV1.NotifyService.service).sort(),
    ProbeService: Object.keys(gsqV1.ProbeService.service).sort(),
    ServerService: Object.keys(gsqV1.ServerService.service).sort(),
    WebhookService: Object.keys(gsqV1.WebhookService.service).sort(),
  };
  assert.deepEqual(Object.fromEntries(services), loaded);
});

test('the descriptor image gsq.binpb contains every .proto file that its files import', () => {
  const { file } = fromBinary(FileDescriptorSetSchema, descriptorImage);
  const names = new Set(file.map(({ name }) => name));
  for (const { name, dependency } of file) {
    for (const needed of dependency) assert.ok(names.has(needed), `${name} needs ${needed}`);
  }
  assert.ok(names.has('grpc/health/v1/health.proto'), 'reflection describes health as well');
});
