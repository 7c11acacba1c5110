import { main } from '../../src/main.ts';

void main(process.argv);
