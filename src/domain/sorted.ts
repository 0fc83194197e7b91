/** How many of what is sorted come before the first that does not meet a condition. */
export function countLeading(length: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (condition(middle)) low = middle + 1
    else high = middle
  }
  return low
}
