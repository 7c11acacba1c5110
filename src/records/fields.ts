import { z } from 'zod';
import { instantMs, type Json, type JsonObject } from '../evaluator/index.ts';

/** The field types that the records share. Each says in its error what the field should be. */

/** Bounds an id to what every provider's ids and Kafka keys fit in; a control character or half a surrogate pair is no id. */
const ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
const VERDICT_ID = /^[^\p{Cc}\p{Cs}]{1,800}$/u;
const ACCOUNT = /^[A-Za-z0-9._-]{1,128}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const AN_ID = 'a string of 1 to 255 characters without control characters';
export const operationId = z.string(AN_ID).regex(ID, AN_ID).brand<'OperationId'>();
export const paymentId = z.string(AN_ID).regex(ID, AN_ID).brand<'PaymentId'>();
export const id = z.string(AN_ID).regex(ID, AN_ID);

const A_VERDICT_ID = 'a verdict id: a string of 1 to 800 characters without control characters';
export const verdictId = z.string(A_VERDICT_ID).regex(VERDICT_ID, A_VERDICT_ID);

const AN_ACCOUNT = 'an account name: 1 to 128 of the characters A-Z a-z 0-9 . _ -';
export const account = z.string(AN_ACCOUNT).regex(ACCOUNT, AN_ACCOUNT).brand<'AccountName'>();

export const provider = z.enum(['paypal', 'square', 'shopify', 'stripe'], 'one of paypal, square, shopify, stripe');

const AN_INSTANT = 'an RFC 3339 instant with an offset, such as 2026-09-01T12:00:00.350Z';
export const instant = z.string(AN_INSTANT).refine((text) => instantMs(text) !== null, AN_INSTANT);

export const text = z.string('a string');
export const words = z.string('a string that is not empty').regex(/\S/, 'a string that is not empty');

const isHttpStatus = (value: number): boolean => value >= 100 && value <= 599;
export const httpStatus = z.int('an HTTP status, 100 to 599').refine(isHttpStatus, 'an HTTP status, 100 to 599');

export const count = z.int('a whole number, 0 or more').min(0, 'a whole number, 0 or more');

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Any JSON object, kept as it is. */
export const jsonObject = z.custom<JsonObject>(isObject, 'a JSON object');
/** Any JSON value, kept as it is; leaving it out is not one. */
export const json = z.custom<Json>((value) => value !== undefined, 'a JSON value');

export const base64 = z.string('standard base64 with padding').regex(BASE64, 'standard base64 with padding');

/** What an object schema says where the value is no object. */
export const AN_OBJECT = 'a JSON object';
