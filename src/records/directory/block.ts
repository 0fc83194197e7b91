import { type Grams, LONGEST_GRAM } from './grams'

/** So many members are indexed in one go, which takes some milliseconds. */
export const BLOCK_SIZE = 4_096

/** Texts with an index of the byte sequences in them. Places are counted within the block. */
export interface Block {
  size: number
  text: Uint8Array
  /** Where each text starts; it ends where the next one does. */
  starts: Uint32Array
  /** The places each gram occurs at are those from `offsets[gram]` up to the next, in order. */
  offsets: Uint32Array
  places: Uint16Array
}

export const bytesOf = ({ text, starts, offsets, places }: Block) =>
  text.byteLength + starts.byteLength + offsets.byteLength + places.byteLength

export function newBlock(grams: Grams, texts: readonly string[]): Block {
  const text = new Uint8Array(Buffer.from(texts.join('')))
  const starts = startsOf(texts)
  const occurrences = occurrencesIn(grams, text, starts)
  const offsets = new Uint32Array(grams.count + 1)
  for (const gram of occurrences.grams) offsets[gram + 1]! += 1
  for (let gram = 0; gram < grams.count; gram++) offsets[gram + 1]! += offsets[gram]!

  const places = new Uint16Array(occurrences.grams.length)
  const next = offsets.slice()
  for (let place = 0; place < texts.length; place++)
    for (let at = occurrences.starts[place]!; at < occurrences.starts[place + 1]!; at++)
      places[next[occurrences.grams[at]!]!++] = place
  return { size: texts.length, text, starts, offsets, places }
}

function startsOf(texts: readonly string[]): Uint32Array {
  const starts = new Uint32Array(texts.length + 1)
  texts.forEach((text, place) => {
    starts[place + 1] = starts[place]! + Buffer.byteLength(text)
  })
  return starts
}

/** The grams of each text, each once. */
function occurrencesIn(grams: Grams, text: Uint8Array, starts: Uint32Array) {
  const size = starts.length - 1
  const found = new Uint32Array(text.length * LONGEST_GRAM)
  const foundStarts = new Uint32Array(size + 1)
  let lastIn = new Int32Array(grams.count * 2 + 1_024).fill(-1)
  let count = 0
  for (let place = 0; place < size; place++) {
    const end = starts[place + 1]!
    for (let at = starts[place]!; at < end; at++)
      for (let length = 1; length <= LONGEST_GRAM && at + length <= end; length++) {
        const gram = grams.number(text, at, length)
        if (gram >= lastIn.length) lastIn = grown(lastIn)
        if (lastIn[gram] === place) continue
        lastIn[gram] = place
        found[count++] = gram
      }
    foundStarts[place + 1] = count
  }
  return { grams: found.subarray(0, count), starts: foundStarts }
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2).fill(-1)
  larger.set(numbers)
  return larger
}

/** Calls back with each place whose text contains these bytes, in order. `wanted` are the grams of the bytes. */
export function eachIn(block: Block, sought: Uint8Array, wanted: readonly number[], found: (place: number) => void) {
  const [rarest, second] = twoRarest(block, wanted)
  if (rarest === undefined) return
  const { offsets, places } = block
  const end = offsets[rarest + 1]!
  if (sought.length <= LONGEST_GRAM) {
    for (let at = offsets[rarest]!; at < end; at++) found(places[at]!)
    return
  }
  let other = offsets[second]!
  const otherEnd = offsets[second + 1]!
  for (let at = offsets[rarest]!; at < end; at++) {
    const place = places[at]!
    while (other < otherEnd && places[other]! < place) other += 1
    if (other === otherEnd) return
    if (places[other] === place && contains(block, place, sought)) found(place)
  }
}

/**
 * The gram that occurs least, and the one that does among those that share no byte with it: a first and a last name, say,
 * of which many have either and few both.
 */
function twoRarest({ offsets }: Block, wanted: readonly number[]): [number, number] | [undefined] {
  const lengthAt = (at: number) => offsets[wanted[at]! + 1]! - offsets[wanted[at]!]!
  let rarest = 0
  for (let at = 0; at < wanted.length; at++) {
    if (wanted[at]! + 1 >= offsets.length || lengthAt(at) === 0) return [undefined]
    if (lengthAt(at) < lengthAt(rarest)) rarest = at
  }
  let second = -1
  for (let at = 0; at < wanted.length; at++)
    if (Math.abs(at - rarest) >= LONGEST_GRAM && (second < 0 || lengthAt(at) < lengthAt(second))) second = at
  return [wanted[rarest]!, wanted[second] ?? wanted[rarest]!]
}

function contains({ text, starts }: Block, place: number, sought: Uint8Array): boolean {
  const last = starts[place + 1]! - sought.length
  const first = sought[0]
  for (let at = starts[place]!; at <= last; at++) {
    if (text[at] !== first) continue
    let same = 1
    while (same < sought.length && text[at + same] === sought[same]) same += 1
    if (same === sought.length) return true
  }
  return false
}
