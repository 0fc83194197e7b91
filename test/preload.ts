import { afterEach, expect } from 'bun:test'
import { bugs } from './server'

// After every test, no server may have logged an unexpected error.
afterEach(() => expect(bugs.splice(0)).toEqual([]))
