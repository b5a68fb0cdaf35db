import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import { CoreLink } from '../../../gateway/upstream/core-link.ts';
import type { CoreLinkOptions } from '../../../gateway/upstream/core-link-options.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import type { FetchReply } from '../../../proto/generated/codec/fetch.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { writeGroups } from '../../../proto/streams/fetch-replies.ts';
import { createLogger } from '../../../runtime/log.ts';
import { agreeable } from '../core-scripts.ts';
import { ScriptedCore } from '../scripted-core.ts';

/** A time limit that is longer than any test, in milliseconds. */
export const LONG_MS = 30_000;
/** The secret of the internal port of the core. */
export const SECRET = 'between us';
const log = createLogger('gateway', 'silent');

/** Returns the error of a failed call to the core. Fails the test if the call succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof ServiceError, 'the call should have failed with a ServiceError');
  return outcome;
}

interface CallOptions {
  requestId?: string;
  timeoutMs?: number;
  waitsForProbe?: boolean;
  /** IP address of the caller for whom the gateway calls the core. */
  address?: string;
  /** The token of the caller for whom the gateway calls the core. */
  token?: string;
}

/**
 * Calls the core over a CoreLink, the gateway's connection to the core. If `fetch` is null, the call only checks the
 * caller's credentials.
 */
export function call(
  link: Pick<CoreLink, 'sendCall'>,
  fetch: ByteWriter | null,
  options: CallOptions,
): Promise<FetchReply> {
  const { requestId = '', timeoutMs = LONG_MS, waitsForProbe = false, address = '', token = '' } = options;
  return new Promise((succeed, fail) => {
    const credentials = { token, tier: '', email: '' };
    const caller = { address, domain: '' };
    link.sendCall(
      {
        id: 0,
        credentials,
        caller,
        requestId,
        fetch,
        check: fetch ? null : {},
        acceptGzip: false,
        held: false,
        traceparent: '',
        wantsAccount: false,
      },
      timeoutMs,
      { succeed, fail },
      waitsForProbe,
    );
  });
}

/** Calls the core over a CoreLink, the gateway's connection to the core, only to check the caller's credentials. */
export function check(link: CoreLink, requestId = '', timeoutMs = LONG_MS): Promise<FetchReply> {
  return call(link, null, { requestId, timeoutMs });
}

/** Returns a fetch request with one address. `bytes` is the length of this address. */
export function large(bytes: number): ByteWriter {
  const writer = new ByteWriter();
  writeGroups(writer, [{ gameId: 'csgo', servers: ['x'.repeat(bytes)] }]);
  return writer;
}

/**
 * Starts a fake core for all tests of a `describe` group. Before each test, closes the connections of earlier tests to
 * this core.
 */
export function withLinks() {
  const core = new ScriptedCore();
  const links: CoreLink[] = [];

  before(() => core.start());
  beforeEach(async () => {
    await Promise.all(links.splice(0).map(link => link.close()));
    await core.until(() => core.streams === 0);
    core.script = agreeable;
    core.messages.length = 0;
    core.secrets.length = 0;
  });
  after(async () => {
    await Promise.all(links.map(link => link.close()));
    core.stop();
  });

  /** Creates a CoreLink (connection of a gateway to a core). Does not wait until it is connected. */
  function startLink(options: Partial<CoreLinkOptions> = {}): CoreLink {
    const link = new CoreLink({ address: core.address, secret: SECRET, log, ...options });
    links.push(link);
    return link;
  }

  /** Creates a CoreLink (connection of a gateway to a core), and waits until it is connected. */
  async function linkTo(options: Partial<CoreLinkOptions> = {}): Promise<CoreLink> {
    const link = startLink(options);
    await core.until(() => core.streams === (options.streams ?? 4));
    return link;
  }

  return { core, startLink, linkTo };
}
