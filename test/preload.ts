import { afterEach, expect } from 'bun:test'
import { bugs } from './server'

// After every test of every file: no server under test logged a bug.
afterEach(() => expect(bugs.splice(0)).toEqual([]))
