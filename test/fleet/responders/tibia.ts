import type { Responder } from '../responder.ts';

const QUESTION = '\x06\0\xff\xffinfo';

const escaped = (text: string): string =>
  text.replace(/[<>&"'\0]/g, character => `&#${character.charCodeAt(0)};`);

/** Fake server that answers like The Forgotten Server. It reports a player count, but no player names. */
export const tibia: Responder = {
  transport: 'tcp',
  respond: ({ name, map, version, players, maxplayers }, request) => {
    const asked = request.toString('latin1');
    if (asked !== QUESTION) return QUESTION.startsWith(asked) ? undefined : [];
    const document = [
      '<?xml version="1.0"?><tsqp version="1.0">',
      `<serverinfo uptime="77" ip="192.0.2.1" servername="${escaped(name)}" port="7172" server="The Forgotten Server" version="${escaped(version)}" client="10.98" />`,
      `<owner name="" email="" /><players online="${players.length}" max="${maxplayers}" peak="99" />`,
      `<monsters total="0" /><map name="${escaped(map)}" author="" width="0" height="0" /><motd>Welcome!</motd></tsqp>`,
    ];
    return [Buffer.from(document.join(''))];
  },
};
