import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatagramEvents, DatagramSocket } from '../../prober/transport/datagram-socket.ts';
import { Random } from './random.ts';
import { AnswerLimit, FIRST_PORT, SimulatedHost, SimulatedNetwork } from './simulated-host.ts';
import { SimulatedWire } from './simulated-wire.ts';
import { VirtualClock } from './virtual-clock.ts';

const INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const CHALLENGE_KIND = 0x41;

/** Builds a simulated network with one host, one server and one client socket. */
async function wireTo(loss = 0) {
  const clock = new VirtualClock();
  const random = new Random(1);
  const wire = new SimulatedWire(clock, random, loss);
  const host = new SimulatedHost(new SimulatedNetwork(true), '45.0.0.1', 1, random);
  wire.add(host);
  const [server] = host.servers;
  assert.ok(server);
  const heard = { replies: 0, rejections: 0 };
  const events: DatagramEvents = {
    received: datagram => {
      assert.equal(datagram[4], CHALLENGE_KIND);
      heard.replies++;
    },
    rejected: () => heard.rejections++,
    unsent: assert.fail,
    warn: assert.fail,
  };
  const socket: DatagramSocket = await wire.bind({ family: 'udp4', receiveBuffer: 1, events });
  const endpoint = { address: host.address, key: host.key, port: FIRST_PORT };
  /**
   * Sends packets to the simulated host, and waits `gapMs()` milliseconds after each. Resolves to the numbers of
   * replies and ICMP rejections.
   */
  const ask = async (
    packets = 1,
    gapMs = (): number => 1_000,
  ): Promise<{ replies: number; rejections: number }> => {
    Object.assign(heard, { replies: 0, rejections: 0 });
    for (let i = 0; i < packets; i++) {
      socket.send(INFO, endpoint);
      await clock.run(clock.now + gapMs());
    }
    await clock.run(clock.now + 1_000);
    return { ...heard };
  };
  return { clock, wire, host, server, ask };
}

test('the simulated network loses packets independently in each direction', async () => {
  const { ask } = await wireTo(0.2);
  const { replies } = await ask(10_000);
  // Each direction loses 20 % of the packets. Therefore 64 % of the packets get a reply (0.8 × 0.8). The tolerance is
  // ten standard deviations.
  assert.ok(Math.abs(replies - 6_400) < 480, String(replies));
});

test('a query to a stopped simulated server gets a reply only if a firewall in front of its host answers', async () => {
  const { server, ask } = await wireTo();
  assert.deepEqual(await ask(), { replies: 1, rejections: 0 });
  server.mode = 'unresponsive';
  assert.deepEqual(await ask(), { replies: 0, rejections: 0 });
  server.end('gone', 0);
  assert.deepEqual(await ask(), { replies: 0, rejections: 0 });
  server.end('boxed', 0);
  assert.deepEqual(await ask(), { replies: 1, rejections: 0 });
});

test('the host of a stopped simulated server sends ICMP "port unreachable" only if `host.refuses` is true', async () => {
  const { host, server, ask } = await wireTo();
  server.end('ended', 0);
  assert.deepEqual(await ask(), { replies: 0, rejections: host.refuses ? 1 : 0 });
});

test("the simulated network loses all packets during an outage of the prober's network or of the game server's host", async () => {
  const { clock, wire, host, ask } = await wireTo();
  wire.isOut = true;
  assert.equal((await ask()).replies, 0);
  wire.isOut = false;
  host.deafUntil = clock.now + 10_000;
  assert.equal((await ask()).replies, 0);
  await clock.run(host.deafUntil);
  assert.equal((await ask()).replies, 1);
});

test('at the start of an outage, the simulated network also loses the packets that are already in flight', async () => {
  const { clock, wire, ask } = await wireTo();
  clock.at(1, () => {
    wire.isOut = true;
  });
  assert.equal((await ask()).replies, 0);
});

test('the simulated network rejects the configured share of packets with ICMP messages, and delivers all other packets', async () => {
  const { host, ask } = await wireTo();
  host.rejects = 0.3;
  const { replies, rejections } = await ask(10_000);
  assert.equal(replies + rejections, 10_000);
  assert.ok(Math.abs(rejections - 3_000) < 460, String(rejections));
});

test('a simulated host with a limit of four replies per second counts the replies to all clients together', async () => {
  const { host, ask } = await wireTo();
  host.limit = new AnswerLimit(new Random(2));
  const random = new Random(3);
  const { replies } = await ask(8_000, () => random.gap(250));
  // The simulated host answers at most four packets per second, but gets eight: four from the test, four from other
  // clients. So the test gets replies to about half of its packets.
  assert.ok(replies > 3_600 && replies < 4_400, String(replies));
});

test('the simulation records the maximum number of packets that a host or a /24 network gets within one second', async () => {
  const { host, ask } = await wireTo();
  await ask(10, () => 400);
  assert.deepEqual([host.rate.most, host.network.rate.most, host.packets], [3, 3, 10]);
});

test('a simulated server that answers only with challenges (never with a status) counts as silent since the first request', async () => {
  const { clock, server, ask } = await wireTo();
  await clock.run(5_000);
  await ask(2);
  // The server answered only with challenges. They do not prove that the server runs, because a firewall can send
  // challenges for a stopped server.
  assert.equal(server.silentSince, 5_000);
});
