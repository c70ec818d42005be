\set customer random(1, 10000 * :scale)
\set amount random(1, 500)
INSERT INTO wattmark_order (customer_id, amount) VALUES (:customer, :amount);
