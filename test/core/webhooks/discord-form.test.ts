import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISCORD_LIMITS, type DiscordView, discordMessage } from '../../../core/webhooks/discord-form.ts';

interface Message {
  content: string;
  embeds: {
    title: string;
    description: string;
    color: number;
    fields: { name: string; value: string; inline: boolean }[];
  }[];
  allowed_mentions: { parse: string[] };
}

const view: DiscordView = {
  headline: 'is online',
  game: 'Rust',
  address: '203.0.113.5:28015',
  status: 'online',
  name: 'Lonely Island',
  map: 'Procedural Map',
  players: 30,
  maxPlayers: 60,
  updatedAt: 1_700_000_000_500,
};

function message(more: Partial<DiscordView>): Message {
  return JSON.parse(discordMessage({ ...view, ...more }).toString()) as Message;
}

const fieldOf = (found: Message, name: string): string | undefined =>
  found.embeds[0]?.fields.find(field => field.name === name)?.value;

/** Hostile texts that game servers can send: Markdown, mentions, direction marks, and long or broken texts. */
const HOSTILE = [
  '',
  ' \u200b\u202e ',
  '@everyone <@123> <#5> <:x:1> <t:0:R>',
  '[free skins](https://evil.example) https://evil.example',
  '**bold** __u__ ~~s~~ `code` ```x``` ||spoiler|| > quote # title - list',
  '\u202eabc\u2066\u200f\ufeff',
  '\ud800 half \udc00',
  '😀'.repeat(4000),
  '\\'.repeat(10_000),
  'ﷺ'.repeat(5000),
  '\u0000\u0007\n\r\t',
  'مرحبا بالعالم',
  '"</script><script>alert(1)</script>',
];

test('a Discord message shows the name, the players with a bar, the map, the address and the time', () => {
  const found = message({});
  assert.equal(found.embeds[0]?.title, 'Lonely Island');
  assert.equal(fieldOf(found, 'Players'), `30 / 60 \`${'█'.repeat(10)}${'░'.repeat(10)}\``);
  assert.equal(fieldOf(found, 'Map'), 'Procedural Map');
  assert.equal(fieldOf(found, 'Address'), '`203.0.113.5:28015`');
  assert.equal(fieldOf(found, 'Updated'), '<t:1700000000:R>');
});

test('a Discord message shows no number of players if the server is not online', () => {
  assert.equal(fieldOf(message({ status: 'offline' }), 'Players'), '–');
});

test('a Discord message shows the address instead of the name if the server never answered', () => {
  const found = message({ name: '', map: '', players: undefined, updatedAt: 0, status: 'pending' });
  assert.equal(found.embeds[0]?.title, '203\\.0\\.113\\.5\\:28015');
  assert.deepEqual(
    found.embeds[0]?.fields.map(({ name }) => name),
    ['Players', 'Game', 'Address'],
  );
});

test('a Discord message shows a full bar if a server has more players than slots', () => {
  assert.equal(fieldOf(message({ players: 99, maxPlayers: 10 }), 'Players'), `99 / 10 \`${'█'.repeat(20)}\``);
});

test('a Discord message with hostile texts stays within the limits of Discord', () => {
  for (const text of HOSTILE) {
    const found = message({ name: text, map: text, game: text, headline: text });
    const [embed] = found.embeds;
    assert.ok(embed);
    const texts = [
      embed.title,
      embed.description,
      ...embed.fields.flatMap(({ name, value }) => [name, value]),
    ];
    assert.ok(
      texts.every(part => part !== ''),
      `no text is empty for ${JSON.stringify(text.slice(0, 20))}`,
    );
    assert.ok(embed.title.length <= DISCORD_LIMITS.title);
    assert.ok(embed.description.length <= DISCORD_LIMITS.description);
    assert.ok(embed.fields.length <= DISCORD_LIMITS.fields);
    assert.ok(embed.fields.every(({ name, value }) => name.length <= 256 && value.length <= 1024));
    assert.ok(texts.reduce((sum, part) => sum + part.length, 0) <= DISCORD_LIMITS.total);
    assert.deepEqual(found.allowed_mentions, { parse: [] });
  }
});

test('a hostile server name cannot mention users, add links or format text in a Discord message', () => {
  for (const text of HOSTILE) {
    const { title } = message({ name: text }).embeds[0] ?? { title: '' };
    const bare = title.replace(/\\[\\`*_~|<>()[\]{}#+\-.!:@/]/g, '');
    assert.doesNotMatch(bare, /[\\`*_~|<>()[\]{}#@/]/, title);
    assert.doesNotMatch(title, /[\p{Cc}\p{Cf}]/u);
    assert.ok(title.isWellFormed());
  }
});
