import { afterEach, beforeEach, expect } from 'bun:test'
import { bugs, endTest, startTest } from './server'

beforeEach(startTest)
afterEach(async () => {
  await endTest()
  // No server may have logged an unexpected error.
  expect(bugs.splice(0)).toEqual([])
})
