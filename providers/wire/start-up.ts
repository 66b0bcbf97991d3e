/** The start-up packet with this body, with one more option for the session, before those that its client asks for. */
export function withOption(body: Buffer, option: string): Buffer {
  const pairs = pairsIn(body);
  const own = pairs.find(([name]) => name === 'options');
  // Of two settings of one parameter the later one holds: the client's.
  if (own) own[1] = `${option} ${own[1]}`;
  else pairs.push(['options', option]);
  const text = `${pairs.map(([name, value]) => `${name}\0${value}\0`).join('')}\0`;
  const packet = Buffer.concat([Buffer.alloc(4), body.subarray(0, 4), Buffer.from(text, 'latin1')]);
  packet.writeInt32BE(packet.length);
  return packet;
}

/** `-c name=value`, as the server reads it among the options of a session. */
export function optionText(name: string, value: string): string {
  return `-c ${name}=${value.replace(/[\s\\]/g, '\\$&')}`;
}

/** Names and values after the version; byte for byte, whatever encoding they are in. */
function pairsIn(body: Buffer): [name: string, value: string][] {
  const texts = body.toString('latin1', 4).split('\0');
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < texts.length && texts[i] !== ''; i += 2) pairs.push([texts[i]!, texts[i + 1]!]);
  return pairs;
}
