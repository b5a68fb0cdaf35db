// The cipher of Ventrilo's status packets. Luigi Auriemma has reverse-engineered it. Source: ventrilo.c of
// https://github.com/Unity-Technologies/qstat

/**
 * Key tables for packet headers and packet bodies. Ventrilo encrypts a byte by adding a byte of the table to it. The
 * key of the packet (`PacketKey`) selects the byte of the table.
 */
const HEADER_KEY = Buffer.from(
  '80e50e38ba634c9988634cd654b8657ebf8af0178aaa4d0fb72327f6eb12f8ea17b7cf5257cb51cf1b14fd6f8438b524' +
    '11cf7a757abb7874dcbc42f0173f5eeb7477044e8caf23dc65dfa565dd7df43c4c95bdeb651cf4245d8218fb5086b853' +
    'e04e36961fb7cbaaafeacb2027302aaeb90740df1275c909829c30805d8f0d09a164ec91d88a501f405df7082af86062' +
    'a04a8bba4a6d000a933212e5070165f5ffe0aea781d1ba256261b285ad7e9d3f498926e5d5ac9f0ed76e47941684c8ff' +
    '44ea0440e03311a35b1e82ff7a69e92ffbea9ac67bdbb1ff977656f352c23f0fb6ac77c4bf595e8074bbf2de57624c1a' +
    'ff956dc704a23bc41b72c76c8260d10d',
  'hex',
);
const BODY_KEY = Buffer.from(
  '828b7f6890e04409193b8e5fc28238236ddb6249526e21df516c763786507d481f65e7526a88aac1322ff7544caa6d7e' +
    '6da98c0d3fff6c09b3a5afdf9802b4be6d690d4273e43450073079412f083f4273a768faee880e6ea470742216ae3c81' +
    '14a1da7fd37c487d3f46fb6d9225173626dbdf5a87916fd6cdd4ad4a29dd7d59bd153453b1d85011837966219e875b24' +
    '2f4fd77334a2f709d5d9429df815df0e10cc05043581b2d57ad2a0a57bb875d2350b398f1b440ece66871b64ace1ca67' +
    'b4ce33db89fed88ecd5892415040cb08e115eef464fe1cee25e721e66cc6a62e5223a720d2d728072314243d45a5c790' +
    'db77ddea38598932bc003a6d614edb29',
  'hex',
);
/**
 * Ventrilo encrypts byte number `i` of a header by adding two numbers to the byte: a byte of the key table, and `i`
 * modulo this constant.
 */
const HEADER_TURN = 5;
const BODY_TURN = 72;

/**
 * The key of a Ventrilo packet. It selects bytes of the key table: every `step`-th byte from the index `start` on. A
 * step of 0 means that the packet is not encrypted.
 */
export interface PacketKey {
  start: number;
  step: number;
}

/** Length of a packet header, bytes: the unencrypted key, then nine encrypted big-endian words of 16 bits. */
export const HEADER_BYTES = 20;

/** Encrypts (`sign` 1) or decrypts (`sign` -1) the words after the key in the header of a Ventrilo packet. */
export function shiftHeader(words: Buffer, key: PacketKey, sign: 1 | -1): Buffer {
  return shift(words, HEADER_KEY, HEADER_TURN, key, sign);
}

/** Encrypts (`sign` 1) or decrypts (`sign` -1) the body of a Ventrilo packet. */
export function shiftBody(body: Buffer, key: PacketKey, sign: 1 | -1): Buffer {
  return shift(body, BODY_KEY, BODY_TURN, key, sign);
}

function shift(bytes: Buffer, table: Buffer, turn: number, { start, step }: PacketKey, sign: 1 | -1): Buffer {
  const shifted = Buffer.from(bytes);
  if (step === 0) return shifted;
  for (let i = 0; i < shifted.length; i++) {
    const added = (table[(start + i * step) & 0xff] ?? 0) + (i % turn);
    shifted[i] = ((shifted[i] ?? 0) + sign * added) & 0xff;
  }
  return shifted;
}

const POLYNOMIAL = 0x1021;
const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, index) => {
  let crc = index << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? POLYNOMIAL : 0);
  return crc;
});

/**
 * Returns the CRC-16 of an unencrypted text. Ventrilo's variant combines each byte with the low byte of the checksum.
 * The usual CRC-16 combines it with the high byte.
 */
export function crc16(text: Buffer): number {
  let crc = 0;
  for (const byte of text) crc = ((CRC_TABLE[crc >> 8] ?? 0) ^ byte ^ (crc << 8)) & 0xffff;
  return crc;
}
