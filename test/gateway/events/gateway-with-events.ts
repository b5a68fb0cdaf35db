import { beforeEach } from 'node:test';
import { withGateway } from '../running-gateway.ts';
import { sendEvent } from '../scripted-json.ts';

/** The path of an event stream that follows two servers. */
export const PATH = '/v1/events?server=rust/192.0.2.1:1&server=rust/192.0.2.2:1';
/** The data of the first event. The name of the server contains a line break, which the format must escape. */
export const snapshot = {
  servers: [{ game_id: 'rust', server: '192.0.2.1:1', name: 'line\nfeed' }],
  more: false,
};

/**
 * Starts a fake core and a gateway for all tests of a `describe` group. At the start of each test, the core accepts
 * each event stream and sends `snapshot` on it.
 */
export function withEvents() {
  const { core, gateway } = withGateway();
  beforeEach(() => {
    core.json.calls.length = 0;
    core.json.streams.length = 0;
    core.json.onEvents = stream => void sendEvent(stream, 'snapshot', 't-1', snapshot);
  });
  return { core, gateway };
}
