import { expect, test } from 'bun:test'
import { disarm, readText } from '../../src/web/editor/pasted-text'
import { cpuTime } from '../cpu-time'

/** Fails if twice as much takes much longer than twice as long. It starts with little, so that it fails soon. */
function expectLinear(work: (times: number) => unknown, most: number) {
  let before = cpuTime(() => work(500))
  for (let times = 1_000; times <= most; times *= 2) {
    const time = cpuTime(() => work(times))
    expect(time).toBeLessThan(3 * before + 50)
    before = time
  }
}

test.each([
  ['tags that nothing ends', '<a'],
  ['attributes that nothing ends', '<a b'],
  ['ends of tags that nothing ends', '</a/'],
  ['tags', '<a style="a" onclick = "b">'],
])('the time to disarm HTML grows as its length does, for %s', (_, part) => {
  expectLinear((times) => disarm(part.repeat(times)), 64_000)
})

test('HTML loses what browsers act upon, up to a tag that nothing ends', () => {
  expect(disarm('<p style="a" onclick=b>c</p><script>d</script><base href=e><style')).toBe(
    '<p data-style="a" data-onclick=b>c</p><x-script>d</x-script><x-style',
  )
})

test('the time to read pasted lines grows as their number does, however many are empty', () => {
  expectLinear((times) => readText(`a${'\n'.repeat(times)}b`), 64_000)
})
