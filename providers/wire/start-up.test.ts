import { expect, it } from 'vitest';
import { optionText, withOption } from './start-up.ts';

const version = Buffer.from([0, 3, 0, 0]);
const bodyOf = (text: string): Buffer => Buffer.concat([version, Buffer.from(text)]);
const option = optionText('timezone', 'Asia/Kathmandu');

it('an option is added to a start-up packet that has none', () => {
  const packet = withOption(bodyOf('user\0zoë\0database\0\0\0'), option);
  expect(packet.readInt32BE()).toBe(packet.length);
  expect(packet.subarray(4)).toEqual(bodyOf('user\0zoë\0database\0\0options\0-c timezone=Asia/Kathmandu\0\0'));
});

it('the options of the client come after it, so that they hold', () => {
  const packet = withOption(bodyOf('options\0-c timezone=UTC\0user\0me\0\0'), option);
  expect(packet.subarray(4)).toEqual(bodyOf('options\0-c timezone=Asia/Kathmandu -c timezone=UTC\0user\0me\0\0'));
});

it('white space in a value is no end of it', () => {
  expect(optionText('timezone', 'a b\\c')).toBe('-c timezone=a\\ b\\\\c');
});
